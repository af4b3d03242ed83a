import * as z from 'zod';
import { completeToken } from '../domain/completed-token.ts';
import { TerminalError } from '../domain/errors.ts';
import { agentExpiresAtEpochMs, LaunchPlan, LaunchState } from '../domain/launch-state.ts';
import type { TokenPublisher } from '../ports/tokens.ts';
import { withinDeadline } from '../steps/within-deadline.ts';

const Placed = LaunchPlan.extend({ placement: LaunchState.shape.placement });
const Exposed = Placed.extend({ expose: z.literal('nodePort'), nodePort: LaunchState.shape.nodePort });
const NotExposed = Placed.extend({ expose: z.literal('none') });

/** The plan, the address of the Pod and, for a launch that is exposed, its nodePort. */
export const PublishTokenInput = z.discriminatedUnion('expose', [Exposed, NotExposed]);
/** Becomes `$.token`. The token itself is in its table and nowhere else. */
export const PublishTokenOutput = LaunchState.shape.token;

/** What PublishToken needs. */
export interface PublishTokenDeps {
  tokens: TokenPublisher;
  nowEpochMs: () => number;
}

/**
 * Publishes the launch's token, in one conditional write of one complete item. Safe to repeat: the first that was
 * written stays.
 *
 * @throws TransientError; TerminalError TokenConflict when another address is published already under the agent's name
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
    const token = completeToken({
      agentName,
      launchId,
      host: input.placement.host,
      port: input.expose === 'nodePort' ? input.nodePort.port : input.agentPort,
      tls: input.tls,
      publishedAtEpochMs: deps.nowEpochMs(),
      expiresAtEpochMs: agentExpiresAtEpochMs(input),
    });
    const published = await deps.tokens.publish(token);
    if (published.launchId !== launchId || published.host !== token.host || published.port !== token.port) {
      const says = `published is ${published.host}:${published.port}, the cluster says ${token.host}:${token.port}`;
      throw new TerminalError('TokenConflict', says, { launchId, pod: agentName });
    }
    return { publishedAtEpochMs: Date.parse(published.publishedAt) };
  });
}
