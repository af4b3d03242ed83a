import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { agentNameOf } from '../../functions/domain/names.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { askForSweep } from './ask-for-sweep.ts';
import { registration } from './jobs.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
beforeAll(async () => {
  davit = await startTestRuntime();
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

test('a sweep shows a launch as being cleaned up while its cluster is away, and has it cleaned up when it is back', async () => {
  const launchId = await davit.launches.request({ profile: 'linux', jobId: 'away' });
  await registration(davit, { agentName: agentNameOf(launchId) });
  davit.cluster.sandbox.faults.add({ match: {}, effect: { kind: 'drop', when: 'before' } });

  await davit.launches.end(launchId);
  const away = await askForSweep(davit, { graceSeconds: 0 });
  const meanwhile = await davit.launches.show(launchId);
  davit.cluster.sandbox.faults.clear();
  const back = await askForSweep(davit, { graceSeconds: 0 });
  const { status } = await davit.launches.until(launchId, 'terminated', 'failed');

  expect(away).toMatchObject({ complete: false, findings: [] });
  expect(away.errors).toEqual([
    { about: 'cluster sandbox, namespace davit-agents', message: expect.stringContaining('ClusterUnreachable') },
  ]);
  expect(meanwhile).toMatchObject({ status: 'cleaning', ending: { by: 'DELETE /launches' } });
  expect(back).toMatchObject({ complete: true, errors: [] });
  expect(status).toBe('terminated');
  await davit.history.untilNothingIsLeft();
});
