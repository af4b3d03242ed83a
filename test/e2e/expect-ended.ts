import { expect } from '@jest/globals';
import { credentialOf } from '../support/agent-credentials.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** The parts of a davit that `expectEnded` looks at. */
export interface DavitEnding extends Pick<TestRuntime, 'runtime' | 'launches'> {
  history: { untilNothingIsLeft(): Promise<void> };
}

/** What `ending.by` says when the job's completion ended the launch. */
export const completedBy = 'github workflow_job completed (failure)';

/** Expects a launch to be over for that reason: no execution runs, its agent is answered 410, nothing is left. */
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
