import { agentNameOf, labelKeys } from '../../core/launch/names.ts';
import { PodView } from '../../core/pod/kubernetes-objects.ts';
import { type PodBehaviour, virtualNode } from '../../sandbox/node/behaviour.ts';
import type { Pod } from '../../sandbox/node/pod.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { newJob, registration } from './jobs.ts';

const launchCount = 5;
/** On ACI, one Pod in 15 was Running as soon as its containers ran; here, one of each five. */
const straightToRunning = newJob();

let davit: TestRuntime;
beforeAll(async () => {
  davit = await startTestRuntime({
    sandbox: { node: { isVirtual: true, behaviour: { ...virtualNode, startDelayMs: 50, imagePullMs: 50, forPod } } },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

/** @see https://issues.jenkins.io/browse/JENKINS-68649 */
describe('on a virtual node, whose Pods stay Pending while their containers run,', () => {
  test('every agent connects, and runs a step of its job', async () => {
    const jobs = [straightToRunning, ...Array.from({ length: launchCount - 1 }, () => newJob())];
    const launchIds = jobs.map((job) => job.launchId);

    const queued = await Promise.all(jobs.map((job) => davit.github.deliver(job, 'queued')));
    const registrations = await Promise.all(jobs.map((job) => registration(davit, job)));
    const steps = await Promise.all(registrations.map(({ token }) => davit.ci.run(token, { run: ['echo', 'built'] })));

    const wereRunning = launchIds.filter((id) => podStates(id).some(({ status }) => status?.phase === 'Running'));
    const wereNot = launchIds.filter((id) => podStates(id).some(isPendingWithRunningContainers));
    expect(queued.map(({ status }) => status)).toEqual(jobs.map(() => 202));
    expect(steps).toEqual(jobs.map(() => ({ exitCode: 0, output: 'built\n' })));
    expect([wereRunning.length, wereNot.length]).toEqual([1, launchCount - 1]);
    // The node's own words for a container in creation are waited for.
    expect(new Set(launchIds.flatMap(waitedWith))).toEqual(new Set(['Creating', 'Waiting']));
    await Promise.all(jobs.map((job) => davit.github.deliver(job, 'completed')));
    await davit.history.untilNothingIsLeft();
  });
});

function forPod(pod: Pod): Partial<PodBehaviour> {
  const isStraight = pod.metadata.labels?.[labelKeys.launchId] === straightToRunning.launchId;
  return { phaseLagMs: isStraight ? 0 : Number.POSITIVE_INFINITY };
}

/** Every state that the Pod of a launch was in, oldest first. */
function podStates(launchId: string): PodView[] {
  return davit.history.changes
    .filter(({ resource, object }) => resource === 'pods' && object.metadata.name === agentNameOf(launchId))
    .map(({ object }) => PodView.parse(object));
}

/** The words of the node for the containers of a launch's Pod that had yet to run. */
function waitedWith(launchId: string): string[] {
  return podStates(launchId).flatMap(({ status }) =>
    (status?.containerStatuses ?? []).flatMap(({ state }) => state?.waiting?.reason ?? []),
  );
}

function containersRun({ spec, status }: PodView): boolean {
  const running = status?.containerStatuses?.filter(({ state }) => state?.running !== undefined) ?? [];
  return running.length === spec.containers.length;
}

function isPendingWithRunningContainers(pod: PodView): boolean {
  return pod.status?.phase === 'Pending' && containersRun(pod);
}
