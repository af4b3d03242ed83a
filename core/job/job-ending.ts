import type { AttributedEnding, LaunchRecord } from '../launch/launch-record.ts';

const completedEvent = 'workflow_job completed';

/** Makes the ending of a launch whose job is over. */
export function jobEnding(ciSystem: string, conclusion: string | undefined, atEpochMs: number): AttributedEnding {
  const concluded = conclusion ?? 'no conclusion';
  return {
    outcome: 'terminated',
    code: 'Terminated',
    message: `the job completed: ${concluded}`,
    by: `${ciSystem} ${completedEvent} (${concluded})`,
    actor: { kind: 'ciSystem', name: ciSystem },
    atEpochMs,
  };
}

/** Says whether the job that its agent ran has ended a launch: its runner took that one job, and is gone. */
export function isEndedByItsJob({ ending, runs }: Pick<LaunchRecord, 'ending' | 'runs'>): boolean {
  return runs !== undefined && ending?.by.includes(` ${completedEvent} `) === true;
}
