import type { LaunchId } from '../../core/launch/names.ts';
import type { PollDeps } from './poll-deps.ts';

/** Asks for the retirement of an agent that has run nothing, as a poll has seen. @param actor which rule of polling asks */
export async function retire(
  { retirements }: Pick<PollDeps, 'retirements'>,
  launchId: LaunchId,
  { reason, actor }: { reason: string; actor: 'surplus' | 'taken' },
): Promise<void> {
  await retirements.request({ launchId, reason, by: 'poll-ci', actor: { kind: 'davit', name: `poll-ci/${actor}` } });
}
