import type { LaunchId } from '../../core/launch/names.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';

/** Asks for the retirement of an agent that has run nothing, as a poll has seen. @param actor which rule of polling asks */
export async function retire(
  { invokeLater }: { invokeLater: InvokeLater<'retire-runner'> },
  launchId: LaunchId,
  { reason, actor }: { reason: string; actor: 'surplus' | 'taken' },
): Promise<void> {
  await invokeLater('retire-runner', {
    launchId,
    reason,
    by: 'poll-ci',
    actor: { kind: 'davit', name: `poll-ci/${actor}` },
  });
}
