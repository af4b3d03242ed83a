import { expect } from '@jest/globals';
import { credentialOf } from '../support/agent-credentials.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

/** A davit that launches are ended in. */
export interface DavitEnding extends Pick<TestRuntime, 'runtime' | 'launches'> {
  history: { untilNothingIsLeft(): Promise<void> };
}

/** By whom a launch is ended whose job is completed. */
export const completedBy = 'github workflow_job completed (failure)';

/** Says that a launch is over for that reason: its execution does not run, its agent is sent away, nothing is left. */
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
