import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { agentNameOf, apiLaunchId } from '../../functions/domain/names.ts';
import type { KubeObject } from '../../local/cluster/cluster-store.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { expectEnded } from './expect-ended.ts';
import { registration } from './jobs.ts';
import { after, comes, created, deleted, entered, type Moment } from './moments.ts';
import { untilRelaunched } from './until-relaunched.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
beforeAll(async () => {
  davit = await startTestRuntime({
    changeConfig: (config) => withProfiles(config, { 'second-try': { agent: untilRelaunched }, idle: { agent: idle } }),
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

/** Asks for a launch and waits until its agent is awaited. @returns its id */
async function untilAwaited(profile: string): Promise<string> {
  const jobId = crypto.randomUUID();
  const awaited = comes(davit, entered('AwaitAgent'));
  await davit.launches.request({ profile, jobId });
  await awaited;
  return apiLaunchId(jobId);
}

/** @throws Error when there is none */
function podOf(launchId: string): KubeObject {
  const pod = davit.cluster.sandbox.store.get('pods', 'davit-agents', agentNameOf(launchId));
  if (pod === undefined) throw new Error(`${launchId} has no Pod`);
  return pod;
}

/** What a kubelet does that is short of memory. */
async function evict(launchId: string): Promise<void> {
  await davit.cluster.sandbox.node.evict(podOf(launchId));
}

/** What the control plane says of a Pod whose node it does not hear of; the Pod runs on. */
async function loseNode(launchId: string): Promise<void> {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  };
  davit.cluster.sandbox.node.overrideStatus(podOf(launchId), { conditions: [condition] });
}

describe('a launch whose Pod is taken before its agent connects', () => {
  test.each([
    { how: 'by a kubelet short of memory', take: evict, code: 'PodEvicted' },
    { how: 'with its node', take: loseNode, code: 'NodeLost' },
  ])('($how) comes up again under another name', async ({ take, code }) => {
    const launchId = await untilAwaited('second-try');

    await take(launchId);
    await registration(davit, { agentName: agentNameOf(launchId, 2) });
    const { status } = await untilExecutionEnds(davit.runtime, launchId);
    const shown = await davit.launches.show(launchId);
    await davit.launches.end(launchId);

    expect(status).toBe('SUCCEEDED');
    expect(shown).toMatchObject({
      agentName: agentNameOf(launchId, 2),
      generations: [{ agentName: agentNameOf(launchId), code }],
    });
    await expectEnded(davit, launchId, { outcome: 'terminated' });
  });
});

function inRelaunch(moment: Moment): Moment {
  return after<TestRuntime>(entered('Relaunch'), moment);
}

describe('a launch that is ended while it is begun again leaves nothing', () => {
  test.each([
    { when: 'while its first Service is being removed', moment: inRelaunch(deleted('services')) },
    { when: 'as its second Service has come to be', moment: inRelaunch(created('services')) },
    { when: 'as its second Pod has come to be', moment: inRelaunch(created('pods')) },
  ])('$when', async ({ moment }) => {
    const launchId = await untilAwaited('idle');
    const itsTime = comes(davit, moment);
    await evict(launchId);
    await itsTime;

    await davit.launches.end(launchId);

    await expectEnded(davit, launchId, { outcome: 'terminated', code: 'Terminated' });
    expect(davit.runtime.stepFunctions.execution(launchId)).toMatchObject({ status: 'ABORTED' });
  });
});
