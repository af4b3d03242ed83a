import { Agent } from 'undici';
import { agentNameOf, apiLaunchId, labelKeys } from '../../core/launch/names.ts';
import { PodView } from '../../core/pod/kubernetes-objects.ts';
import { type PodBehaviour, virtualNode } from '../../sandbox/node/behaviour.ts';
import type { Pod } from '../../sandbox/node/pod.ts';
import { credentialInPod } from '../support/agent-credentials.ts';
import { containersRun, judgeByTheOldRule } from '../support/by-the-old-rule.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { holdAddresses } from '../support/held-addresses.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { raceToConnect, tokenOf } from '../support/racing-agent.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

const launchCount = 5;
/** On ACI, one Pod in 15 was Running as soon as its containers ran; here, one of each five. */
const straightToRunning = new Set(['github-186853002-105-1', apiLaunchId('straight')]);
const addresses = holdAddresses();

let davit: TestRuntime;
const connections = new Agent();
beforeAll(async () => {
  davit = await startTestRuntime({
    changeConfig: (config) =>
      withProfiles(config, {
        idle: { agent: idle },
        'no-address': { agent: idle, deadlines: { placementSeconds: 3 } },
      }),
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

  test('the old rule loses every launch that davit connects, but those whose Pods are Running at once', async () => {
    const jobIds = Array.from({ length: launchCount }, (_, index) => (index === 0 ? 'straight' : `pending ${index}`));

    const outcomes = await Promise.all(jobIds.map((jobId) => launchUnderBothRules(jobId)));

    expect(outcomes.map(({ davitSays }) => davitSays)).toEqual(jobIds.map(() => 'SUCCEEDED'));
    expect(outcomes.map(({ oldRuleSays }) => oldRuleSays)).toEqual(
      jobIds.map((jobId) => (jobId === 'straight' ? 'connected' : 'agent is not connected, status: Pending')),
    );
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

  test('a missing address fails the launch, with a message that names the node, the step and the Pod', async () => {
    const launchId = apiLaunchId('never');
    addresses.hold(launchId);

    await davit.launches.request({ profile: 'no-address', jobId: 'never' });
    const { ending } = await davit.launches.until(launchId, 'failed', 'terminated');

    expect(ending).toMatchObject({ outcome: 'failed', code: 'PlacementDeadlineExceeded', by: 'the state machine' });
    expect(ending?.message).toMatch(
      /PollHostIP gave up after \d+ s of 3 s; at last: node sandbox-node reports no hostIP, .*container agent running/,
    );
    expect(ending?.message).toContain(`pod ${agentNameOf(launchId)}, node sandbox-node`);
    expect(davit.history.left(launchId)).toEqual([]);
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

/**
 * Runs a launch, and judges its Pod a second time by the old rule. Its agent connects after the old rule's verdict, so
 * that the outcome does not depend on timing.
 */
async function launchUnderBothRules(jobId: string): Promise<{ davitSays: string; oldRuleSays: string }> {
  const launchId = await davit.launches.request({ profile: 'idle', jobId });
  const judged = Promise.withResolvers<void>();
  const [oldRuleSays] = await Promise.all([
    judgeByTheOldRule(davit, launchId, judged.resolve),
    judged.promise.then(() => connect(launchId)),
  ]);
  const { status } = await untilExecutionEnds(davit.runtime, launchId);
  await end(launchId);
  return { davitSays: status, oldRuleSays };
}
