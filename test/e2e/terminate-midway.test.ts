import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { apiLaunchId } from '../../functions/domain/names.ts';
import type { FaultRule } from '../../local/cluster/faults.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { completedBy, expectEnded } from './expect-ended.ts';
import { newJob } from './jobs.ts';
import { clusterRequest, comes, created, type Moment } from './moments.ts';
import { stopByHand } from './stop-by-hand.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
let cleanUps = 0;
beforeAll(async () => {
  davit = await startTestRuntime({
    onInvoked: (functionName) => {
      if (functionName === 'clean-up') cleanUps += 1;
    },
  });
});
beforeEach(() => {
  cleanUps = 0;
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

interface Creation {
  resource: 'services' | 'pods';
  /** What makes it take its time. */
  fault: FaultRule;
  begins: Moment;
  /** What still comes of it, after the launch has been ended. */
  ends: Moment;
}

const creations: Creation[] = (['services', 'pods'] as const).map((resource) => ({
  resource,
  fault: { match: { verb: 'create', resource }, effect: { kind: 'delay', delayMs: 700 }, count: 1 },
  begins: clusterRequest({ verb: 'create', resource }),
  ends: created(resource),
}));

/** Has a launch asked for, and ended while that is being created. */
async function endMidway<Answer>(
  { fault, begins, ends }: Creation,
  ask: () => Promise<unknown>,
  end: () => Promise<Answer>,
): Promise<Answer> {
  const calm = davit.cluster.sandbox.faults.add(fault);
  const itsTime = comes(davit, begins);
  const passed = comes(davit, ends);
  const asked = ask();
  await itsTime;
  const answer = await end();
  await Promise.all([asked, passed]);
  calm();
  return answer;
}

describe('a launch is ended, cleaned up once and leaves nothing while one of its objects is being created:', () => {
  test.each(creations)('$resource, by DELETE', async (creation) => {
    const jobId = crypto.randomUUID();
    const launchId = apiLaunchId(jobId);

    const answer = await endMidway(
      creation,
      () => davit.launches.post({ profile: 'linux', jobId }),
      () => davit.launches.end(launchId),
    );

    expect(answer).toMatchObject({ status: 202, body: { launchId, status: 'cleaning' } });
    await expectEnded(davit, launchId, { outcome: 'terminated', code: 'Terminated', by: 'DELETE /launches' });
    expect(cleanUps).toBe(1);
  });

  test.each(creations)('$resource, by its job’s completed', async (creation) => {
    const job = newJob();

    const answer = await endMidway(
      creation,
      () => davit.github.deliver(job, 'queued'),
      () => davit.github.deliver(job, 'completed'),
    );

    expect(answer).toMatchObject({ status: 202, body: { launchId: job.launchId, status: 'cleaning' } });
    await expectEnded(davit, job.launchId, { outcome: 'terminated', code: 'Terminated', by: completedBy });
    expect(cleanUps).toBe(1);
  });

  test.each(creations)('$resource, by somebody who stops its execution by hand', async (creation) => {
    const jobId = crypto.randomUUID();
    const launchId = apiLaunchId(jobId);

    await endMidway(
      creation,
      () => davit.launches.post({ profile: 'linux', jobId }),
      () => stopByHand(davit, launchId),
    );

    await expectEnded(davit, launchId, { outcome: 'failed', code: 'ExecutionEnded', by: 'Step Functions' });
    expect(cleanUps).toBe(1);
  });
});
