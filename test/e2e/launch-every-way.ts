import type { Config, Profile } from '../../functions/domain/config.ts';
import { liveStatuses } from '../../functions/domain/launch-record.ts';
import { agentNameOf, apiLaunchId, type LaunchId, labelsOf } from '../../functions/domain/names.ts';
import { newRecord, planLaunch } from '../../functions/domain/plan-launch.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { stateMachineFunctions } from '../../functions/manifest.ts';
import { createGithubServer } from '../../local/demo/github-server.ts';
import { type JsonValue, parseJson } from '../../local/json-value.ts';
import type { FaultAnswer } from '../../sandbox/faults.ts';
import { type FakeGithub, startGithub } from '../ci/github/start-github.ts';
import { until } from '../cluster/until.ts';
import { credentialInPod } from '../support/agent-credentials.ts';
import { type AwsCall, recordAwsCalls } from '../support/aws-calls.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';
import { newJob, registration } from './jobs.ts';
import {
  connectAs,
  exampleOwner,
  exampleRepository,
  joining,
  joiningProfile,
  launchJoining,
  reconcileOnce,
  secretsOf,
  withGithub,
} from './joining.ts';
import { awsRequest, comes, entered } from './moments.ts';

/** Every call that davit made to AWS and to Kubernetes while it launched in every way. */
export interface EveryCall {
  config: Config;
  aws: readonly AwsCall[];
  /** Each as `get pods/log`. */
  kubernetes: ReadonlySet<string>;
  /** The namespaces in which davit read or wrote objects. */
  namespaces: ReadonlySet<string>;
}

/**
 * Runs a davit through everything that makes a function call AWS or Kubernetes: launches that work, fail, are repeated,
 * relaunched, ended and swept, and attempts of steps that Lambda makes after the launch is over.
 */
export async function launchEveryWay(): Promise<EveryCall> {
  using recorded = recordAwsCalls();
  await using github = await startGithub(['acme', exampleOwner]);
  await using davit = await startTestRuntime({
    changeConfig: (config) => withGithub(withEveryProfile(config), github),
    secrets: secretsOf(github),
    sandbox: { node: { behaviour: { imagePullBackOff: { baseMs: 200, maxMs: 200 } } } },
  });
  const kubernetes = new Set<string>();
  const namespaces = new Set<string>();
  davit.cluster.sandbox.faults.onRequest(({ verb, resource, subresource, namespace }) => {
    kubernetes.add(`${verb} ${[resource, subresource].filter(Boolean).join('/')}`);
    if (namespace !== undefined) namespaces.add(namespace);
  });
  const inputs = keepInputs(davit);

  await workAndEnd(davit);
  await askByHand(davit);
  await join(davit);
  await reconcile(davit, github);
  await exit(davit);
  await fail(davit, 'unpullable');
  await fail(davit, 'unschedulable');
  await fail(davit, 'crashing');
  await waitForRoom(davit);
  await beEvicted(davit);
  await beAbandoned(davit, inputs);
  await sweep(davit);
  await comeLate(davit, inputs);
  return { config: davit.config, aws: recorded.calls, kubernetes, namespaces };
}

const unlike: Record<string, Partial<Profile>> = {
  'by-node': { hostAddress: 'nodeInternalIP' },
  'dial-out': { expose: 'none' },
  idle: { labels: ['idle'] },
};

function withEveryProfile(config: Config): Config {
  const added = withProfiles(config, {
    'by-node': {},
    'dial-out': {},
    idle: { agent: idle },
    unpullable: { agent: { image: 'registry.example.com/none:1' }, graces: { imagePullSeconds: 1 } },
    unschedulable: { agent: idle, spec: { nodeSelector: { disk: 'none' } }, deadlines: { placementSeconds: 2 } },
    crashing: { agent: { command: ['sh', '-c', 'echo no disk >&2; exit 3'] } },
    abandoned: { agent: idle, spec: { nodeSelector: { disk: 'none' } } },
  });
  const profiles = added.profiles.map((profile) => ({ ...profile, ...unlike[profile.name] }));
  return { ...added, profiles: [...profiles, joiningProfile(added)] };
}

/** The last input of each state's function. */
type Inputs = ReadonlyMap<string, JsonValue>;

function keepInputs({ runtime }: TestRuntime): Inputs {
  const inputs = new Map<string, JsonValue>();
  runtime.onExecutionEvent(({ stateEnteredEventDetails: details }) => {
    if (details?.name !== undefined) inputs.set(details.name, parseJson(details.input ?? 'null'));
  });
  return inputs;
}

/** A job whose webhooks come twice each. */
async function workAndEnd(davit: TestRuntime): Promise<void> {
  const job = newJob();
  for (const action of ['queued', 'queued'] as const) await davit.github.deliver(job, action);
  await registration(davit, job);
  await untilExecutionEnds(davit.runtime, job.launchId);
  for (const action of ['completed', 'completed'] as const) await davit.github.deliver(job, action);
  await davit.launches.until(job.launchId, 'terminated');
  // The completion of a job that was never queued leaves a tombstone.
  await davit.github.deliver(newJob(), 'completed');
}

async function askByHand(davit: TestRuntime): Promise<void> {
  for (const profile of ['by-node', 'dial-out']) {
    const asked = { profile, jobId: `by-hand-${profile}` };
    const launchId = await davit.launches.request(asked);
    await davit.launches.post(asked);
    await registration(davit, { agentName: agentNameOf(launchId) });
    await davit.launches.end(launchId);
    await davit.launches.end(launchId);
    await davit.launches.until(launchId, 'terminated');
  }
  const list = await davit.launches.get('/launches?status=terminated');
  if (list.status !== 200) throw new Error(`GET /launches was answered ${list.status}`);
}

/** A CI system of its own webhooks, and an agent that is registered there. */
async function join(davit: TestRuntime): Promise<void> {
  const secret = await davit.runtime.webhookSecret('acme');
  await createGithubServer(`${davit.runtime.url}/webhooks/acme`, secret).deliver(newJob(), 'completed');
  const launchId = 'acme-1-1-1';
  await launchJoining(davit, launchId, 'idle');
  const { status } = await connectAs(davit, launchId);
  if (status !== 200) throw new Error(`an agent that joins a CI system was answered ${status}`);
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
}

/** Two jobs of which no webhook came: one is gone before its agent gets it, and one runs. */
async function reconcile(davit: TestRuntime, github: FakeGithub): Promise<void> {
  const retired = await runLostJob(davit, github);
  github.state.jobs.length = 0;
  await until('its agent is retired', reconciledMs, async () => {
    await reconcileOnce(davit);
    return !(await liveLaunches(davit)).includes(retired);
  });
  await davit.launches.until(retired, 'terminated');

  const bound = await runLostJob(davit, github);
  const [runner] = github.state.runners.values();
  if (runner === undefined) throw new Error("the lost job's agent has no runner");
  github.state.assign(runner);
  await until('the job is bound', reconciledMs, async () => {
    await reconcileOnce(davit);
    return (await davit.runtime.ports.launches.get(bound))?.runs !== undefined;
  });
  github.state.complete(runner, true);
  await davit.launches.end(bound);
  await davit.launches.until(bound, 'terminated');
}

/** @returns the launch whose agent is registered for it */
async function runLostJob(davit: TestRuntime, github: FakeGithub): Promise<LaunchId> {
  github.state.queueRun(exampleOwner, exampleRepository, [{ name: 'lost', labels: [joining], steps: [] }]);
  const launchId = await until('the lost job has a launch', reconciledMs, async () => {
    await reconcileOnce(davit);
    return (await liveLaunches(davit)).find((id) => id.startsWith('acme-'));
  });
  const { status } = await connectAs(davit, launchId);
  if (status !== 200) throw new Error(`the lost job's agent was answered ${status}`);
  return launchId;
}

const reconciledMs = 60_000;

async function liveLaunches({ runtime: { ports } }: TestRuntime): Promise<LaunchId[]> {
  const page = await ports.launches.list({ statuses: liveStatuses, limit: 100 });
  return page?.launches.map(({ launchId }) => launchId) ?? [];
}

/** A registered agent whose Pod is deleted: the sweep ends its launch, and has its runner taken out. */
async function exit(davit: TestRuntime): Promise<void> {
  const launchId = 'acme-2-2-1';
  const agentName = agentNameOf(launchId);
  await launchJoining(davit, launchId, joining);
  await connectAs(davit, launchId);
  await untilExecutionEnds(davit.runtime, launchId);
  davit.cluster.sandbox.store.delete('pods', 'davit-agents', agentName);
  await until('the sweep has ended it', reconciledMs, async () => {
    await davit.runtime.functions.invoke('sweep' satisfies FunctionName, { graceSeconds: 0 });
    return !(await liveLaunches(davit)).includes(launchId);
  });
}

async function fail(davit: TestRuntime, profile: string): Promise<void> {
  await davit.launches.until(await davit.launches.request({ profile, jobId: profile }), 'failed');
}

const quota: FaultAnswer = {
  code: 403,
  reason: 'Forbidden',
  message: 'davit-x is forbidden: exceeded quota: agents, requested: count=1, used: count=2, limited: count=2',
};

/** A launch that a quota keeps waiting, for its Service and then for its Pod, and whose node port is late. */
async function waitForRoom(davit: TestRuntime): Promise<void> {
  for (const resource of ['services', 'pods'] as const) {
    davit.cluster.sandbox.faults.add({
      match: { verb: 'create', resource },
      effect: { kind: 'answer', answer: quota },
      count: 1,
    });
  }
  davit.cluster.sandbox.faults.add({
    match: { verb: 'create', resource: 'services' },
    effect: { kind: 'late-node-ports', delayMs: 500 },
  });
  const launchId = await davit.launches.request({ profile: 'linux', jobId: 'waits' });
  await registration(davit, { agentName: agentNameOf(launchId) });
  davit.cluster.sandbox.faults.clear();
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
}

/** A launch whose Pod is evicted while its agent is awaited. */
async function beEvicted(davit: TestRuntime): Promise<void> {
  const awaited = comes(davit, entered('AwaitAgent'));
  const launchId = await davit.launches.request({ profile: 'idle', jobId: 'evicted' });
  await awaited;
  const relaunched = comes(davit, entered('Relaunch'));
  const pod = davit.cluster.sandbox.store.get('pods', 'davit-agents', agentNameOf(launchId));
  if (pod === undefined) throw new Error(`${launchId} has no Pod`);
  await davit.cluster.sandbox.node.evict(pod);
  await relaunched;
  await comes(davit, entered('AwaitAgent'));
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
}

/**
 * A launch whose agent asks too early. A process marks the launch as over and dies before it stops the execution, so its
 * steps go on.
 */
async function beAbandoned(davit: TestRuntime, inputs: Inputs): Promise<void> {
  const polled = comes(davit, entered('PollHostIP'));
  const launchId = await davit.launches.request({ profile: 'abandoned', jobId: 'abandoned' });
  await polled;
  await askEarly(davit, agentNameOf(launchId));
  const ending = { outcome: 'terminated', code: 'Terminated', message: 'Terminated: abandoned', by: 'nobody' } as const;
  await davit.runtime.ports.launches.end(launchId, { ...ending, atEpochMs: Date.now() });
  const refused = comes(davit, awsRequest('GetItem'));
  // It watches until the Pod is gone: the sweep deletes the Pod.
  void davit.runtime.functions.invoke('poll-host-ip' satisfies FunctionName, inputOf(inputs, 'PollHostIP'));
  await refused;
}

async function askEarly(davit: TestRuntime, agentName: string): Promise<void> {
  const early = await fetch(`${davit.runtime.url}/agents/${agentName}/connect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentialInPod(davit, agentName)}` },
  });
  if (early.status !== 503) throw new Error(`an agent that asked early was answered ${early.status}`);
}

/** A launch that was accepted and never started, one that was abandoned, and a Service of one that is over. */
async function sweep(davit: TestRuntime): Promise<void> {
  const launchId = apiLaunchId('accepted');
  const [profile] = davit.config.profiles;
  if (profile === undefined) throw new Error('the config has no profile');
  await davit.runtime.ports.launches.request(newRecord(planLaunch(profile, { launchId }, Date.now())));
  const over = { launchId: apiLaunchId('unpullable'), agentName: agentNameOf(apiLaunchId('unpullable')) };
  davit.cluster.sandbox.store.create('services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: over.agentName, namespace: 'davit-agents', labels: labelsOf({ ...over, profile: 'unpullable' }) },
    spec: { type: 'NodePort', ports: [{ port: 8811 }] },
  });
  const swept = await davit.runtime.functions.invoke('sweep' satisfies FunctionName, { graceSeconds: 0 });
  if (swept.functionError !== undefined) throw new Error(JSON.stringify(swept.payload));
  await davit.launches.until(apiLaunchId('abandoned'), 'terminated');
  await registration(davit, { agentName: agentNameOf(launchId) });
  await davit.launches.end(launchId);
  await davit.launches.until(launchId, 'terminated');
}

/** Attempts of each step that Lambda makes after everything is over; most fail, and say why. */
async function comeLate(davit: TestRuntime, inputs: Inputs): Promise<void> {
  for (const [placeholder, functionName] of Object.entries(stateMachineFunctions)) {
    await davit.runtime.functions.invoke(functionName, inputOf(inputs, placeholder.replace('FunctionArn', '')));
  }
}

function inputOf(inputs: Inputs, state: string): JsonValue {
  const input = inputs.get(state);
  if (input === undefined) throw new Error(`${state} was never entered`);
  return input;
}
