import { agentNameOf, apiLaunchId } from '../../../../core/launch/names.ts';
import type { FaultRule } from '../../../../sandbox/faults.ts';
import { completedBy, expectEnded } from '../../../e2e/expect-ended.ts';
import { newJob } from '../../../e2e/jobs.ts';
import { after, clusterRequest, comes, created, entered, type Moment } from '../../../e2e/moments.ts';
import { stopByHand } from '../../../e2e/stop-by-hand.ts';
import { idle, withProfiles } from '../../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';

let davit: AwsTestRuntime;
let cleanUps = 0;
beforeAll(async () => {
  davit = await startAwsTestRuntime({
    changeConfig: (config) => withProfiles(config, { idle: { agent: idle } }),
    onInvoked: (functionName) => {
      if (functionName === 'clean-up') cleanUps += 1;
    },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

interface Creation {
  /** Delays the creation. */
  fault: FaultRule;
  begins: Moment;
  /** The object appears after the launch was ended. */
  ends: Moment;
}

function slowCreation(resource: 'services' | 'pods'): Creation {
  return {
    fault: { match: { verb: 'create', resource }, effect: { kind: 'delay', delayMs: 700 }, count: 1 },
    begins: clusterRequest({ verb: 'create', resource }),
    ends: created(resource),
  };
}

/** Requests a launch, and ends it during the creation of one of its objects. */
async function endMidway(
  { fault, begins, ends }: Creation,
  ask: () => Promise<unknown>,
  end: () => Promise<unknown>,
): Promise<void> {
  cleanUps = 0;
  const calm = davit.cluster.sandbox.faults.add(fault);
  const itsTime = comes(davit, begins);
  const passed = comes(davit, ends);
  const asked = ask();
  await itsTime;
  await end();
  await Promise.all([asked, passed]);
  calm();
}

describe('a launch that ends during the creation of an object is cleaned up once, and leaves nothing:', () => {
  test('its Service, by DELETE', async () => {
    const jobId = crypto.randomUUID();
    const launchId = apiLaunchId(jobId);

    await endMidway(
      slowCreation('services'),
      () => davit.launches.post({ profile: 'linux', jobId }),
      () => davit.launches.end(launchId),
    );

    await expectEnded(davit, launchId, { outcome: 'terminated', code: 'Terminated', by: 'DELETE /launches' });
    expect(cleanUps).toBe(1);
  });

  test("its Pod, by its job's completed", async () => {
    const job = newJob();

    await endMidway(
      slowCreation('pods'),
      () => davit.github.deliver(job, 'queued'),
      () => davit.github.deliver(job, 'completed'),
    );

    await expectEnded(davit, job.launchId, { outcome: 'terminated', code: 'Terminated', by: completedBy });
    expect(cleanUps).toBe(1);
  });

  test('its Pod, by a person who stops its execution', async () => {
    const jobId = crypto.randomUUID();
    const launchId = apiLaunchId(jobId);

    await endMidway(
      slowCreation('pods'),
      () => davit.launches.post({ profile: 'linux', jobId }),
      () => stopByHand(davit, launchId),
    );

    await expectEnded(davit, launchId, { outcome: 'failed', code: 'ExecutionEnded', by: 'Step Functions' });
    expect(cleanUps).toBe(1);
  });

  test('the Pod of its second generation, by DELETE', async () => {
    const launchId = await untilAwaited('idle');
    const secondPod = comes(davit, after<AwsTestRuntime>(entered('Relaunch'), created('pods')));
    await loseNode(launchId);
    await secondPod;

    await davit.launches.end(launchId);

    await expectEnded(davit, launchId, { outcome: 'terminated', code: 'Terminated' });
    expect(await davit.runtime.ports.executions.status(launchId)).toMatchObject({ status: 'ABORTED' });
  });
});

/** Requests a launch and waits until PublishToken begins. @returns its id */
async function untilAwaited(profile: string): Promise<string> {
  const jobId = crypto.randomUUID();
  const awaited = comes(davit, entered('PublishToken'));
  await davit.launches.request({ profile, jobId });
  await awaited;
  return apiLaunchId(jobId);
}

/** Reports what a control plane reports about a Pod on a lost node; the Pod continues to run. */
async function loseNode(launchId: string): Promise<void> {
  const pod = davit.cluster.sandbox.store.get('pods', 'davit-agents', agentNameOf(launchId));
  if (pod === undefined) throw new Error(`${launchId} has no Pod`);
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  };
  davit.cluster.sandbox.node.overrideStatus(pod, { conditions: [condition] });
}
