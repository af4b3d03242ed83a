import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { completeToken, type PublishedToken } from '../../core/launch/completed-token.ts';
import type { LaunchState } from '../../core/launch/execution-state.ts';
import { connectsUntilEpochMs } from '../../core/launch/launch-state.ts';
import { timelineOf } from '../../core/launch/timeline.ts';
import { type Deadline, unlessPassed } from '../../logic/steps/within-deadline.ts';
import type { Launches } from '../../ports/launches.ts';
import type { TokenPublisher } from '../../ports/tokens.ts';
import { connectDeadline, publishDeadline } from './deadlines.ts';
import { addressOf, type PublishTokenInput } from './publish-token-input.ts';

/** The dependencies of publishing. */
export interface PublishDeps {
  tokens: TokenPublisher;
  launches: Pick<Launches, 'get'>;
  nowEpochMs: () => number;
}

/**
 * Publishes the launch's token with one conditional write of one complete item. Safe to repeat: the first token stays.
 *
 * @throws TransientError; TerminalError PublishDeadlineExceeded; TokenConflict when the agent's name already has a token for
 *   another Pod
 */
export async function publish(deps: PublishDeps, input: PublishTokenInput): Promise<LaunchState['token']> {
  try {
    return await publishOnce(deps, input);
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    const atEpochMs = deps.nowEpochMs();
    const failure = unlessPassed(publishDeadline(input), atEpochMs, error);
    throw failure === error ? error : unlessPassed(await deadlineInEffect(deps, input), atEpochMs, error);
  }
}

async function publishOnce({ tokens, nowEpochMs }: PublishDeps, input: PublishTokenInput) {
  const { launchId, agentName } = input;
  const publishedAtEpochMs = nowEpochMs();
  const token = completeToken({
    agentName,
    launchId,
    ...addressOf(input),
    tls: input.tls,
    publishedAtEpochMs,
    expiresAtEpochMs: connectsUntilEpochMs(input),
  });
  const timeline = timelineOf({ ...input, token: { publishedAtEpochMs } });
  const toPublish = { token, credentialId: input.pod.made?.credentialId, timeline };
  const published = await tokens.publish(toPublish);
  if (placeOf(published) !== placeOf(toPublish)) {
    const detail = `published is ${placeOf(published)}, the cluster says ${placeOf(toPublish)}`;
    throw new TerminalError('TokenConflict', detail, { launchId, pod: agentName });
  }
  return { publishedAtEpochMs: Date.parse(published.token.publishedAt) };
}

/** The parts of a token that identify an agent and its address. */
function placeOf({ token: { host, port, launchId }, credentialId = 'of any id' }: PublishedToken): string {
  return `${host}:${port} for the credential ${credentialId} of ${launchId}`;
}

/**
 * A repetition that only waits for the agent also begins with publishing. It fails by the agent's deadline, if the record
 * says that the token is out.
 */
async function deadlineInEffect({ launches }: PublishDeps, input: PublishTokenInput): Promise<Deadline> {
  const { plan, timeline } = (await launches.get(input.launchId)) ?? {};
  const tokenMs = plan?.agentName === input.agentName ? timeline?.tokenMs : undefined;
  return tokenMs === undefined ? publishDeadline(input) : connectDeadline(input, input.startedAtEpochMs + tokenMs);
}
