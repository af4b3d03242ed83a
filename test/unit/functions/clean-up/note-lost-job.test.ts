import { isoTime } from '../../../../core/epoch-ms.ts';
import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { jobEnding } from '../../../../core/job/job-ending.ts';
import { jobKeyOf } from '../../../../core/job/job-id.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { EventView, PodView } from '../../../../core/pod/kubernetes-objects.ts';
import { cleanUp } from '../../../../functions/clean-up/clean-up.ts';
import { epochMs, joinedPlanOf, recordOf } from '../../../contract/launch-fixtures.ts';
import { lostJob } from '../../../support/lost-job.ts';
import { makeTestDeps, type TestDeps, testAgentName, testLaunchId } from '../../../support/make-test-deps.ts';
import { withCluster } from '../../../support/port-with.ts';
import { seenJob } from '../../../support/seen-job.ts';

const failedAtEpochMs = epochMs + 60_000;
const job = seenJob({ status: 'completed', runId: 40, conclusion: 'failure', runner: { id: 5, name: 'davit-x' } });
const jobKey = jobKeyOf(job);
const plan = joinedPlanOf(testLaunchId, { expose: 'none' });
const join = plan.join && { ...plan.join, rerunWhenLost: true };
const ran = recordOf(testLaunchId, {
  status: 'cleaning',
  plan: { ...plan, ...(join === undefined ? {} : { join }) },
  runs: { jobKey, sinceEpochMs: epochMs },
  ending: jobEnding('gitea', 'failure', failedAtEpochMs),
});

/** An agent whose Pod is being evicted, at that moment. */
function evictedAt(atEpochMs: number): NonNullable<PodView['status']> {
  const lastTransitionTime = isoTime(atEpochMs);
  const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime };
  return { phase: 'Running', conditions: [condition] };
}

/** A launch whose job is over, and its Pod in this state. */
async function launchOf(record: LaunchRecord, status: PodView['status'] | 'gone', seen = job): Promise<TestDeps> {
  const deps = makeTestDeps();
  await deps.jobs.note(seen, epochMs);
  await deps.launches.request(record);
  if (status === 'gone') return deps;
  const labels = { 'davit.dev/launch-id': testLaunchId };
  await deps.cluster.pods.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: testAgentName, namespace: plan.namespace, labels, annotations: {} },
    spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] },
  });
  deps.cluster.report(testAgentName, status ?? {});
  return deps;
}

const lostIn = ({ lost }: TestDeps) => lost.listWaiting('gitea');
const noted = (words: string) =>
  lostJob({ reason: `the job failed while its agent was taken: ${words}`, lostAtEpochMs: failedAtEpochMs });

test('a job that failed while its agent was evicted is lost, and its Pod goes', async () => {
  const deps = await launchOf(ran, evictedAt(failedAtEpochMs - 2000));

  await cleanUp(deps, { launchId: testLaunchId });

  expect(await lostIn(deps)).toEqual([noted('DisruptionTarget EvictionByEvictionAPI')]);
  expect(deps.cluster.pods.all()).toEqual([]);
});

test('it is remembered before the Pod goes: a clean-up that dies then has not forgotten it', async () => {
  const deps = await launchOf(ran, evictedAt(failedAtEpochMs));
  const died = new TransientError('ClusterUnreachable', 'no route to host');
  const dying = withCluster(deps, { delete: () => Promise.reject(died) });

  await expect(cleanUp(dying, { launchId: testLaunchId })).rejects.toBe(died);

  expect(await lostIn(deps)).toHaveLength(1);
});

test.each<{ fact: string; record?: LaunchRecord; status?: PodView['status']; seen?: typeof job }>([
  { fact: 'succeeded', seen: { ...job, conclusion: 'success' } },
  { fact: 'somebody cancelled', seen: { ...job, conclusion: 'cancelled' } },
  { fact: 'failed before the eviction', status: evictedAt(failedAtEpochMs + 60_000) },
  { fact: 'failed on an agent that nobody took', status: { phase: 'Running' } },
  { fact: 'failed on an agent of a profile that runs no lost job again', record: { ...ran, plan } },
  {
    fact: 'failed when a person had ended its launch',
    record: { ...ran, ending: { ...jobEnding('gitea', 'failure', failedAtEpochMs), by: 'DELETE /launches' } },
  },
])('a job that $fact is not lost', async ({ record = ran, status = evictedAt(failedAtEpochMs), seen = job }) => {
  const deps = await launchOf(record, status, seen);

  await cleanUp(deps, { launchId: testLaunchId });

  expect(await lostIn(deps)).toEqual([]);
});

describe('a job that failed, and whose agent is gone', () => {
  const taint = (atEpochMs: number): EventView => ({
    reason: 'TaintManagerEviction',
    message: 'Marking for deletion Pod',
    involvedObject: {},
    lastTimestamp: isoTime(atEpochMs),
  });

  test('is lost if an Event of that time shows what took it', async () => {
    const deps = await launchOf(ran, 'gone');
    deps.cluster.reports.events = async () => [taint(failedAtEpochMs - 1000)];

    await cleanUp(deps, { launchId: testLaunchId });

    expect(await lostIn(deps)).toMatchObject([{ reason: expect.stringContaining('TaintManagerEviction') }]);
  });

  test.each([
    { fact: 'no Event shows it', events: async () => [] },
    { fact: 'the Event is later', events: async () => [taint(failedAtEpochMs + 60_000)] },
    {
      fact: 'davit may not read Events',
      events: () => Promise.reject(new TerminalError('ClusterForbidden', 'events is forbidden')),
    },
  ])('is not lost if $fact', async ({ events }) => {
    const deps = await launchOf(ran, 'gone');
    deps.cluster.reports.events = events;

    await cleanUp(deps, { launchId: testLaunchId });

    expect(await lostIn(deps)).toEqual([]);
  });
});
