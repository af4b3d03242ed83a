import { credentialOf } from '../support/agent-credentials.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** The parts of a davit that `expectEnded` checks. */
export interface DavitEnding extends Pick<TestRuntime, 'runtime' | 'launches'> {
  history: { untilNothingIsLeft(): Promise<void> };
}

/** The value of `ending.by` when the job's completion ended the launch. */
export const completedBy = 'github workflow_job completed (failure)';

/** Expects that a launch ended for this reason: no execution runs, its agent gets 410, and nothing is left. */
export async function expectEnded(davit: DavitEnding, launchId: string, ending: object): Promise<void> {
  const shown = await davit.launches.until(launchId, 'terminated', 'failed');
  const { status } = await untilExecutionEnds(davit.runtime, launchId);
  await davit.history.untilNothingIsLeft();

  expect(shown.ending).toMatchObject(ending);
  expect(status).not.toBe('RUNNING');
  expect(await askConnect(davit, launchId)).toBe(410);
}

/** Asks for a launch's token as its agent. @returns the answer's status */
export async function askConnect({ runtime }: Pick<DavitEnding, 'runtime'>, launchId: string): Promise<number> {
  const headers = { authorization: `Bearer ${await credentialOf(runtime, launchId)}` };
  const answer = await fetch(`${runtime.url}/agents/davit-${launchId}/connect`, { method: 'POST', headers });
  return answer.status;
}
