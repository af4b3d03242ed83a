import { TerminalError } from '../../core/errors/errors.ts';
import { completeToken, type PublishedToken } from '../../core/launch/completed-token.ts';
import { LaunchState } from '../../core/launch/execution-state.ts';
import { connectsUntilEpochMs, LaunchPlan } from '../../core/launch/launch-state.ts';
import { timelineOf } from '../../core/launch/timeline.ts';
import * as z from '../../core/zod.ts';
import { withinDeadline } from '../../logic/steps/within-deadline.ts';
import type { TokenPublisher } from '../../ports/tokens.ts';

const Placed = z.extend(LaunchPlan, { pod: LaunchState.shape.pod, placement: LaunchState.shape.placement });
const Exposed = z.extend(Placed, {
  expose: z.literal('nodePort'),
  service: z.optional(LaunchState.shape.service),
  nodePort: LaunchState.shape.nodePort,
});
const NotExposed = z.extend(Placed, { expose: z.literal('none') });

/** The plan, the Pod, its address and, for an exposed launch, its nodePort. */
export const PublishTokenInput = z.discriminatedUnion('expose', [Exposed, NotExposed]);
/** Becomes `$.token`. Only the tokens table has the token itself. */
export const PublishTokenOutput = LaunchState.shape.token;

/** The dependencies of PublishToken. */
export interface PublishTokenDeps {
  tokens: TokenPublisher;
  nowEpochMs: () => number;
}

/**
 * Publishes the launch's token with one conditional write of one complete item. Safe to repeat: the first token stays.
 *
 * @throws TransientError; TerminalError TokenConflict when the agent's name already has a token for another Pod
 */
export async function publishToken(
  deps: PublishTokenDeps,
  input: z.infer<typeof PublishTokenInput>,
): Promise<z.infer<typeof PublishTokenOutput>> {
  const { launchId, agentName } = input;
  const deadline = {
    step: 'PublishToken',
    sinceEpochMs: input.placement.placedAtEpochMs,
    seconds: input.deadlines.publishSeconds,
    code: 'PublishDeadlineExceeded',
  } as const;

  return await withinDeadline(deadline, deps.nowEpochMs, async () => {
    const publishedAtEpochMs = deps.nowEpochMs();
    const token = completeToken({
      agentName,
      launchId,
      host: input.placement.host,
      port: input.expose === 'nodePort' ? input.nodePort.port : input.agentPort,
      tls: input.tls,
      publishedAtEpochMs,
      expiresAtEpochMs: connectsUntilEpochMs(input),
    });
    const timeline = timelineOf({ ...input, token: { publishedAtEpochMs } });
    const toPublish = { token, credentialId: input.pod.made?.credentialId, timeline };
    const published = await deps.tokens.publish(toPublish);
    if (placeOf(published) !== placeOf(toPublish)) {
      const detail = `published is ${placeOf(published)}, the cluster says ${placeOf(toPublish)}`;
      throw new TerminalError('TokenConflict', detail, { launchId, pod: agentName });
    }
    return { publishedAtEpochMs: Date.parse(published.token.publishedAt) };
  });
}

/** The parts of a token that identify an agent and its address. */
function placeOf({ token: { host, port, launchId }, credentialId = 'of any id' }: PublishedToken): string {
  return `${host}:${port} for the credential ${credentialId} of ${launchId}`;
}
