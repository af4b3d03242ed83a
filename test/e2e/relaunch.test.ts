import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import type { Config, Profile } from '../../functions/domain/config.ts';
import { agentNameOf } from '../../functions/domain/names.ts';
import type { KubeObject } from '../../local/cluster/cluster-store.ts';
import { credentialInPod } from '../support/agent-credentials.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { type Job, newJob, registration } from './jobs.ts';
import { after, awsRequest, comes, created, deleted, entered, type Moment } from './moments.ts';
import { callWitness, type Witness } from './witness.ts';

jest.setTimeout(120_000);

let davit: TestRuntime;
let seen: Witness;
beforeAll(async () => {
  davit = await startTestRuntime({ changeConfig: withUnluckyProfiles });
  seen = callWitness(davit);
});
afterAll(async () => {
  seen[Symbol.dispose]();
  await davit[Symbol.asyncDispose]();
});

/** An agent that idles in its launch's first generation, and is the reference agent from the second one on. */
const secondTry = {
  command: [
    'sh',
    '-c',
    'case "$DAVIT_AGENT_NAME" in *-r[2-9]) exec "$0" "$@";; *) exec sleep 3600;; esac',
    process.execPath,
    fileURLToPath(new URL('../../local/agent/agent.ts', import.meta.url)),
  ],
};

const unlucky: Record<string, Partial<Profile>> = {
  'second-try': { labels: ['second-try'] },
  'second-try-dial-out': { labels: ['second-try-dial-out'], expose: 'none' },
  'no-luck': { labels: ['no-luck'], maxRelaunches: 1 },
};

function withUnluckyProfiles(config: Config): Config {
  const added = withProfiles(config, {
    'second-try': { agent: secondTry },
    'second-try-dial-out': { agent: secondTry },
    'no-luck': { agent: idle },
  });
  return { ...added, profiles: added.profiles.map((profile) => ({ ...profile, ...unlucky[profile.name] })) };
}

/** Asks for a job's launch and waits until its first Pod is there, its token is published and its agent is awaited. */
async function untilAwaited(label: string): Promise<Job> {
  const job = newJob([label]);
  const awaited = comes(davit, entered('AwaitAgent'));
  await davit.github.deliver(job, 'queued');
  await awaited;
  return job;
}

/** @throws Error when there is none */
function podOf(agentName: string): KubeObject {
  const pod = davit.cluster.sandbox.store.get('pods', 'davit-agents', agentName);
  if (pod === undefined) throw new Error(`there is no Pod ${agentName}`);
  return pod;
}

/** What a kubelet does that is short of memory. */
async function evict(agentName: string): Promise<void> {
  await davit.cluster.sandbox.node.evict(podOf(agentName));
}

/** What `kubectl drain` does. */
async function drain(agentName: string): Promise<void> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromString(davit.cluster.sandbox.kubeconfig);
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: agentName } };
  await kubeConfig.makeApiClient(CoreV1Api).createNamespacedPodEviction({
    name: agentName,
    namespace: 'davit-agents',
    body,
  });
}

/** What the control plane says of a Pod whose node it does not hear of; the Pod runs on. */
async function loseNode(agentName: string): Promise<void> {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  };
  davit.cluster.sandbox.node.overrideStatus(podOf(agentName), { conditions: [condition] });
}

/** Asks for the token of a launch's first agent, with the credential that it was given. */
async function connectAsFirst({ agentName }: Job): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${davit.runtime.url}/agents/${agentName}/connect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentialInPod(davit, agentName)}` },
  });
  return { status: answer.status, body: await answer.json() };
}

const exposedWay = [
  'IsExposed',
  'CreateService',
  'PollNodePort',
  'CreatePod',
  'PollHostIP',
  'PublishToken',
  'AwaitAgent',
];
const otherWay = exposedWay.filter((state) => state !== 'CreateService' && state !== 'PollNodePort');
const over = { type: 'https://davit.dev/problems/launch-over' };

describe('a launch whose Pod infrastructure takes before its agent connects', () => {
  test.each([
    { how: 'by a kubelet short of memory', take: evict, label: 'second-try', way: exposedWay, code: 'PodEvicted' },
    { how: 'by a drain', take: drain, label: 'second-try', way: exposedWay, code: 'PodEvicted' },
    { how: 'with its node', take: loseNode, label: 'second-try', way: exposedWay, code: 'NodeLost' },
    { how: 'by a drain, unexposed', take: drain, label: 'second-try-dial-out', way: otherWay, code: 'PodEvicted' },
  ])('($how) comes up again under another name, works, and ends with its job', async ({ take, label, way, code }) => {
    const job = await untilAwaited(label);
    const second = agentNameOf(job.launchId, 2);

    await take(job.agentName);
    const { token } = await registration(davit, { agentName: second });
    const step = await davit.ci.run(token, { run: ['sh', '-c', 'echo "$DAVIT_AGENT_NAME built"'] });
    const late = await connectAsFirst(job);
    const shown = await davit.launches.show(job.launchId);
    const { status } = await untilExecutionEnds(davit.runtime, job.launchId);
    await davit.github.deliver(job, 'completed');
    const ended = await davit.launches.until(job.launchId, 'terminated', 'failed');

    expect(step).toEqual({ exitCode: 0, output: `${second} built\n` });
    expect(late).toMatchObject({ status: 410, body: over });
    expect(status).toBe('SUCCEEDED');
    expect(seen.states(job.launchId)).toEqual([...way, 'Relaunch', ...way]);
    for (const launch of [shown, ended]) {
      expect(launch).toMatchObject({
        agentName: second,
        plan: { generation: 2 },
        generations: [{ agentName: job.agentName, code, message: expect.stringContaining(`pod ${job.agentName}`) }],
      });
    }
    expect([shown.status, ended.status]).toEqual(['connected', 'terminated']);
    expect(davit.history.left()).toEqual([]);
  });
});

test('a launch whose Pods are taken more often than maxRelaunches fails as they did, and leaves nothing', async () => {
  const job = await untilAwaited('no-luck');
  const awaitedAgain = comes(davit, entered('AwaitAgent'));
  await evict(job.agentName);
  await awaitedAgain;

  await evict(agentNameOf(job.launchId, 2));
  const { ending, ...shown } = await davit.launches.until(job.launchId, 'failed', 'terminated');
  const execution = await untilExecutionEnds(davit.runtime, job.launchId);

  expect(ending).toMatchObject({ code: 'PodEvicted', outcome: 'failed' });
  expect(ending?.message).toMatch(
    /^PodEvicted: not launched again: it was launched 2 times; at last: .*low on resource/,
  );
  expect(ending?.message).toContain(`pod ${job.agentName}-r2`);
  expect(shown).toMatchObject({ status: 'failed', generations: [{ agentName: job.agentName, code: 'PodEvicted' }] });
  expect(execution).toMatchObject({ status: 'FAILED', error: 'PodEvicted' });
  expect(seen.created(job.launchId)).toEqual(['Service', 'Pod', 'Service', 'Pod']);
  expect(davit.history.left()).toEqual([]);
});

function inRelaunch(moment: Moment): Moment {
  return after(entered('Relaunch'), moment);
}

describe('a launch that is ended while it is begun again leaves nothing', () => {
  test.each([
    { when: 'as Relaunch is entered', moment: entered('Relaunch') },
    { when: 'while its next plan is being written', moment: inRelaunch(awsRequest('UpdateItem')) },
    { when: 'while its first Service is being removed', moment: inRelaunch(deleted('services')) },
    { when: 'as its way begins anew', moment: inRelaunch(entered('IsExposed')) },
    { when: 'as its second Service has come to be', moment: inRelaunch(created('services')) },
    { when: 'as its second Pod has come to be', moment: inRelaunch(created('pods')) },
  ])('$when', async ({ moment }) => {
    const job = await untilAwaited('no-luck');
    const itsTime = comes(davit, moment);
    await evict(job.agentName);
    await itsTime;

    await davit.github.deliver(job, 'completed');
    const { status, ending } = await davit.launches.until(job.launchId, 'terminated', 'failed');
    await davit.history.untilNothingIsLeft();

    expect({ status, code: ending?.code }).toEqual({ status: 'terminated', code: 'Terminated' });
    expect(await connectAsFirst(job)).toMatchObject({ status: 410, body: over });
    expect(davit.runtime.stepFunctions.execution(job.launchId)).toMatchObject({ status: 'ABORTED' });
  });

  test('and nothing comes after that', () => {
    expect(davit.history.left()).toEqual([]);
  });
});
