import { Agent } from 'undici';
import { agentNameOf, apiLaunchId, labelKeys } from '../../core/launch/names.ts';
import { PodView } from '../../core/pod/kubernetes-objects.ts';
import { type PodBehaviour, virtualNode } from '../../sandbox/node/behaviour.ts';
import type { Pod } from '../../sandbox/node/pod.ts';
import { credentialInPod } from '../support/agent-credentials.ts';
import { holdAddresses } from '../support/held-addresses.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { raceToConnect, tokenOf } from '../support/racing-agent.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

const launchCount = 5;
/** On ACI, one Pod in 15 was Running as soon as its containers ran; here, one of each five. */
const straightToRunning = new Set(['github-186853002-105-1']);
const addresses = holdAddresses();

let davit: TestRuntime;
const connections = new Agent();
beforeAll(async () => {
  davit = await startTestRuntime({
    changeConfig: (config) => withProfiles(config, { idle: { agent: idle } }),
    sandbox: { node: { isVirtual: true, behaviour: { ...virtualNode, startDelayMs: 50, imagePullMs: 50, forPod } } },
  });
});
afterAll(async () => {
  await connections.close();
  await davit[Symbol.asyncDispose]();
});

/** @see https://issues.jenkins.io/browse/JENKINS-68649 */
describe('on a virtual node, whose Pods stay Pending while their containers run,', () => {
  test('every agent connects, and runs a step of its job', async () => {
    const jobs = Array.from({ length: launchCount }, (_, index) => {
      const launchId = `github-186853002-${101 + index}-1`;
      return { id: 101 + index, launchId, labels: ['linux', 'k8s'], runner: { id: 1, name: `davit-${launchId}` } };
    });
    const launchIds = jobs.map((job) => job.launchId);

    const queued = await Promise.all(jobs.map((job) => davit.github.deliver(job, 'queued')));
    const registrations = await Promise.all(launchIds.map((launchId) => registrationOf(launchId)));
    const steps = await Promise.all(registrations.map(({ token }) => davit.ci.run(token, { run: ['echo', 'built'] })));

    const wereRunning = launchIds.filter((id) => podStates(id).some(({ status }) => status?.phase === 'Running'));
    const wereNot = launchIds.filter((id) => podStates(id).some(isPendingWithRunningContainers));
    expect(queued.map(({ status }) => status)).toEqual(jobs.map(() => 202));
    expect(steps).toEqual(jobs.map(() => ({ exitCode: 0, output: 'built\n' })));
    expect([wereRunning.length, wereNot.length]).toEqual([1, launchCount - 1]);
    await Promise.all(jobs.map((job) => davit.github.deliver(job, 'completed')));
    await davit.history.untilNothingIsLeft();
  });

  test("the node's own words for a container in creation, Creating and Waiting, are waited for", async () => {
    const launchId = await davit.launches.request({ profile: 'idle', jobId: 'words' });

    await untilContainersRun(launchId);
    const { answers } = await connect(launchId);

    const words = podStates(launchId).flatMap(({ status }) =>
      (status?.containerStatuses ?? []).flatMap(({ state }) => state?.waiting?.reason ?? []),
    );
    expect(answers.at(-1)).toBe('200');
    expect(new Set(words)).toEqual(new Set(['Creating', 'Waiting']));
    await end(launchId);
  });

  test('a late address is waited for, and the token has it', async () => {
    const launchId = apiLaunchId('late');
    addresses.hold(launchId);
    await davit.launches.request({ profile: 'idle', jobId: 'late' });
    await untilContainersRun(launchId);

    const agent = await connect(launchId, (answer) => {
      if (answer !== '200') addresses.tell(davit.cluster.sandbox, launchId);
    });

    expect(agent.answers[0]).toBe('503 token-pending');
    expect(tokenOf(agent).host).toBe('127.0.0.1');
    await end(launchId);
  });
});

function forPod(pod: Pod): Partial<PodBehaviour> {
  const isStraight = straightToRunning.has(pod.metadata.labels?.[labelKeys.launchId] ?? '');
  return { ...addresses.forPod(pod), phaseLagMs: isStraight ? 0 : Number.POSITIVE_INFINITY };
}

/** Every state that the Pod of a launch was in, oldest first. */
function podStates(launchId: string): PodView[] {
  return davit.history.changes
    .filter(({ resource, object }) => resource === 'pods' && object.metadata.name === agentNameOf(launchId))
    .map(({ object }) => view(object));
}

/** Whether all containers of a Pod run. */
function containersRun({ spec, status }: PodView): boolean {
  const running = status?.containerStatuses?.filter(({ state }) => state?.running !== undefined) ?? [];
  return running.length === spec.containers.length;
}

function isPendingWithRunningContainers(pod: PodView): boolean {
  return pod.status?.phase === 'Pending' && containersRun(pod);
}

function view(pod: object): PodView {
  return PodView.parse(pod);
}

function registrationOf(launchId: string) {
  return davit.ci.registrationOf(agentNameOf(launchId), AbortSignal.timeout(90_000));
}

async function connect(launchId: string, onAnswer: (answer: string) => void = () => undefined) {
  const credential = () => credentialInPod(davit, agentNameOf(launchId)) ?? '';
  return raceToConnect({ launchId, credential, davit: connections, origin: davit.runtime.url, onAnswer });
}

async function untilContainersRun(launchId: string): Promise<void> {
  await davit.history.until('pods', (pod) => pod.metadata.name === agentNameOf(launchId) && containersRun(view(pod)));
}

async function end(launchId: string): Promise<void> {
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
}
