import { PendingError, TransientError } from '../../core/errors/errors.ts';
import { LaunchState } from '../../core/launch/execution-state.ts';
import { timelineOf } from '../../core/launch/timeline.ts';
import type * as z from '../../core/zod.ts';
import type { Launches } from '../../ports/launches.ts';
import { type AwaitAgentDeps, awaitAgent } from './await-agent.ts';
import { type PublishDeps, publish } from './publish.ts';
import type { PublishedLaunch, PublishTokenInput } from './publish-token-input.ts';

/** Becomes `$.token`. Only the tokens table has the token itself. */
export const PublishTokenOutput = LaunchState.shape.token;

interface PublishTokenDeps extends AwaitAgentDeps, PublishDeps {
  launches: AwaitAgentDeps['launches'] & Pick<Launches, 'noteTimeline'>;
  /** Runs the look for the agent. @default at once */
  observe?: (look: () => Promise<void>) => Promise<void>;
}

/**
 * Publishes the launch's token, and then waits until the agent has connected. Each repetition does both: the first token
 * stays. For a machine of an earlier version, which says no pause because it waits in a state of its own, only publishes.
 *
 * @throws as `publish` and `awaitAgent`
 * @see docs/adr/0044-publish-token-waits-for-the-agent.md
 */
export async function publishToken(
  deps: PublishTokenDeps,
  input: PublishTokenInput,
): Promise<z.infer<typeof PublishTokenOutput>> {
  const token = await publish(deps, input);
  if (input.placement.lookPauseSeconds === undefined) return token;
  const { observe = (look) => look() } = deps;
  await observe(() => untilConnected(deps, { ...input, token }));
  return token;
}

/** The data of an execution that fails here has no token. So the record says when it was published. */
async function untilConnected(deps: PublishTokenDeps, launch: PublishedLaunch): Promise<void> {
  try {
    await awaitAgent(deps, launch);
  } catch (error) {
    const isRepeated = error instanceof PendingError || error instanceof TransientError;
    if (!isRepeated) await deps.launches.noteTimeline(launch.launchId, launch.agentName, timelineOf(launch));
    throw error;
  }
}
