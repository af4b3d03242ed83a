import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { agentNameOf, apiLaunchId, labelsOf } from '../../functions/domain/names.ts';
import { newRecord, planLaunch } from '../../functions/domain/plan-launch.ts';
import { SweepReport } from '../../functions/sweep/sweep-report.ts';
import type { LaunchReason } from '../../functions/sweep/verdict.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { newJob, registration } from './jobs.ts';
import { awsRequest, clusterRequest, deleted, killAt } from './moments.ts';
import { callWitness, type Witness } from './witness.ts';

jest.setTimeout(120_000);

const hang = { kind: 'hang' } as const;
const byRequest = 'clean-up/invocations';

let davit: TestRuntime;
let seen: Witness;

beforeAll(async () => {
  davit = await startTestRuntime({
    changeConfig: (config) => ({
      ...config,
      profiles: config.profiles.flatMap((profile) => [
        profile,
        { ...profile, name: `${profile.name}-short`, maxAgentLifetimeSeconds: 1 },
      ]),
    }),
  });
  seen = callWitness(davit);
});
afterAll(async () => {
  seen[Symbol.dispose]();
  await davit[Symbol.asyncDispose]();
});
// What is killed as it begins must be there to be killed.
beforeEach(async () => {
  await davit.runtime.functions.warm();
});

/** Sweeps as the schedule does, but leaves nobody alone who may be at work. @returns undefined when it was killed */
async function sweep(dryRun = false): Promise<SweepReport | undefined> {
  const body = JSON.stringify({ dryRun, graceSeconds: 0 });
  const answer = await fetch(davit.runtime.sweepUrl, { method: 'POST', body });
  return SweepReport.safeParse(await answer.json()).data;
}

/** Waits until a sweep would do something about a launch. */
async function untilFound(launchId: string, reason: LaunchReason): Promise<void> {
  for (;;) {
    const report = await sweep(true);
    if (report?.findings.some((finding) => finding.launchId === launchId && finding.reason === reason)) return;
  }
}

describe('a sweep that is killed while it deletes what is left of a launch', () => {
  test.each([
    ['before the Service is deleted', clusterRequest({ verb: 'delete', resource: 'services' }, hang)],
    ['after the Service is deleted', deleted('services')],
  ])('%s, is finished by the next one', async (when, moment) => {
    const launchId = await overLaunch(when);
    putService(launchId);
    const killed = killAt(davit, 'sweep', moment);

    const report = await sweep();
    await killed;
    await sweep();
    await davit.history.untilNothingIsLeft();

    expect(report).toBeUndefined();
    expect(seen.left(launchId)).toEqual([]);
  });
});

test('a sweep that is killed as it starts a launch leaves one agent, which the next one lets be', async () => {
  const launchId = apiLaunchId('never-started');
  const [profile] = davit.config.profiles;
  if (profile === undefined) throw new Error('the config has no profile');
  await davit.runtime.ports.launches.request(newRecord(planLaunch(profile, { launchId }, Date.now())));
  const killed = killAt(davit, 'sweep', awsRequest('StartExecution'));

  await sweep();
  await killed;
  await sweep();
  await registration(davit, { agentName: agentNameOf(launchId) });

  expect(seen.created(launchId)).toEqual(['Service', 'Pod']);
  await endAll(launchId);
});

describe('a sweep that is killed while it ends an agent that has lived too long', () => {
  test.each(['UpdateItem', 'StopExecution', byRequest])('at %s, is finished by the next one', async (operation) => {
    const launchId = await davit.launches.request({ profile: 'linux-short', jobId: `short ${operation}` });
    await registration(davit, { agentName: agentNameOf(launchId) });
    await untilExecutionEnds(davit.runtime, launchId);
    await untilFound(launchId, 'AgentLifetimeExceeded');
    const killed = killAt(davit, 'sweep', awsRequest(operation));

    await sweep();
    await killed;
    await sweep();
    const { ending } = await davit.launches.until(launchId, 'failed', 'terminated');

    expect(ending).toMatchObject({ outcome: 'failed', code: 'AgentLifetimeExceeded', by: 'the sweep' });
    expect(seen.left(launchId)).toEqual([]);
  });
});

describe('a launch that a webhook has marked as over, and died, before it stopped it and had it cleaned up', () => {
  /** Has a job's completion recorded by a function that dies right then, and delivered by nobody again. */
  async function markedOnly(): Promise<string> {
    const job = newJob();
    await davit.github.deliver(job, 'queued');
    await registration(davit, job);
    await untilExecutionEnds(davit.runtime, job.launchId);
    const killed = killAt(davit, 'webhook', awsRequest('UpdateItem'));
    await davit.github.deliver(job, 'completed');
    await killed;
    // The table may take longer over it than the function took to die.
    await davit.launches.until(job.launchId, 'cleaning');
    return job.launchId;
  }

  test('is shown as being cleaned up, since when and why, and the next sweep has it done', async () => {
    const launchId = await markedOnly();

    const shown = await davit.launches.show(launchId);
    const left = seen.left(launchId);
    const report = await sweep();
    const { status, ending } = await davit.launches.until(launchId, 'terminated', 'failed');

    expect(shown).toMatchObject({ status: 'cleaning', cleaning: { because: 'the job completed: failure' } });
    expect(left).toHaveLength(2);
    expect(report?.findings.map(({ kind, reason, outcome }) => `${kind} ${reason} ${outcome}`).toSorted()).toEqual([
      'Launch CleanUpUnfinished asked',
      'Pod LaunchCleaning deleted',
      'Service LaunchCleaning deleted',
    ]);
    expect({ status, by: ending?.by }).toEqual({
      status: 'terminated',
      by: 'github workflow_job completed (failure)',
    });
    expect(seen.left(launchId)).toEqual([]);
  });

  test.each(['UpdateItem', 'StopExecution', byRequest])(
    'is cleaned up though the sweep is killed, at %s: the next one asks again',
    async (operation) => {
      const launchId = await markedOnly();
      const killed = killAt(davit, 'sweep', awsRequest(operation));

      await sweep();
      await killed;
      await sweep();
      const { status } = await davit.launches.until(launchId, 'terminated', 'failed');

      expect(status).toBe('terminated');
      expect(seen.left(launchId)).toEqual([]);
    },
  );
});

test('after all of it nothing is left', async () => {
  await davit.history.untilNothingIsLeft();
});

async function overLaunch(jobId: string): Promise<string> {
  const launchId = await davit.launches.request({ profile: 'linux', jobId });
  await registration(davit, { agentName: agentNameOf(launchId) });
  await endAll(launchId);
  return launchId;
}

async function endAll(launchId: string): Promise<void> {
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated', 'failed');
  await davit.history.untilNothingIsLeft();
}

/** Puts a Service of a launch into the cluster by hand, as a process may have that died right after. */
function putService(launchId: string): void {
  const agentName = agentNameOf(launchId);
  davit.cluster.sandbox.store.create('services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: agentName,
      namespace: 'davit-agents',
      labels: labelsOf({ launchId, agentName, profile: 'linux' }),
    },
    spec: { type: 'NodePort', ports: [{ port: 8811 }] },
  });
}
