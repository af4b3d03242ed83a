import { createDynamoRequestPace } from '../../../../adapters/aws/create-dynamo-request-pace.ts';
import { createDynamoClient } from '../../../../adapters/aws/dynamo-table.ts';
import { CiSystemConfig, type RunnerProvider } from '../../../../core/ci/ci-system-config.ts';
import { slotOf } from '../../../../core/ci/request-pace.ts';
import { type Config, Profile } from '../../../../core/config/config.ts';
import { liveStatuses } from '../../../../core/launch/launch-record.ts';
import { agentNameOf, apiLaunchId, LaunchId, labelsOf } from '../../../../core/launch/names.ts';
import { newRecord, planLaunch } from '../../../../core/launch/plan-launch.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../../../local/github/github-webhooks.ts';
import { type JsonValue, parseJson } from '../../../../local/json-value.ts';
import { type FunctionName, stateMachineFunctions } from '../../../../runtime/function-settings.ts';
import type { FaultAnswer } from '../../../../sandbox/faults.ts';
import { newJob, registration } from '../../../e2e/jobs.ts';
import {
  type Connected,
  connectAs,
  exampleOwner,
  exampleRepository,
  joining,
  joiningProfile,
  launchJoining,
  reconcileOnce,
  secretsOf,
  withGithub,
} from '../../../e2e/joining.ts';
import { awsRequest, comes, entered } from '../../../e2e/moments.ts';
import { credentialInPod } from '../../../support/agent-credentials.ts';
import { localAws } from '../../../support/aws/local-aws.ts';
import { type AwsCall, type AwsCalls, recordAwsCalls } from '../../../support/aws-calls.ts';
import { untilExecutionEnds } from '../../../support/execution-events.ts';
import { connectInboundAgent } from '../../../support/jenkins/inbound-agent.ts';
import { type FakeJenkins, startFakeJenkins } from '../../../support/jenkins/start-fake-jenkins.ts';
import { idle, withProfiles } from '../../../support/profile-like.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { type CheckedGithub, startCheckedGithub } from '../../ci/github/start-checked-github.ts';
import { until } from '../../cluster/until.ts';
import { type PolledServer, signBody, startPolledServers } from './polled-servers.ts';

/** Every call that davit made to AWS and to Kubernetes during launches of every kind. */
export interface EveryCall {
  config: Config;
  aws: readonly AwsCall[];
  /** Each as `get pods/log`. */
  kubernetes: ReadonlySet<string>;
  /** The namespaces in which davit read or wrote objects. */
  namespaces: ReadonlySet<string>;
}

/**
 * Makes a davit's functions call AWS and Kubernetes in every way. Launches succeed, fail, retry, relaunch, end and get
 * swept. Lambda also repeats attempts of steps after a launch is over.
 */
export async function launchEveryWay(): Promise<EveryCall> {
  using recorded = recordAwsCalls();
  await using github = await startCheckedGithub(['acme', exampleOwner]);
  await using jenkins = await startFakeJenkins();
  await using started = new AsyncDisposableStack();
  const ofJenkins = { url: jenkins.url, user: jenkins.user.name };
  const servers = await startPolledServers(started);
  const tokens = servers.map(({ provider, token }) => [`${provider}-token`, token]);
  await using davit = await startAwsTestRuntime({
    changeConfig: (config) =>
      servers.reduce(
        (added, { provider, system }) => withPolled(added, provider, provider, system),
        withPolled(withGithub(withEveryProfile(config), github), 'jenkins', 'polled', ofJenkins),
      ),
    secrets: { ...secretsOf(github), 'jenkins-token': jenkins.user.apiToken, ...Object.fromEntries(tokens) },
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
  await refuse(davit);
  await waitForSlots(davit);
  await reconcile(davit, github);
  await comeForJob(davit);
  await poll(davit, jenkins);
  await Promise.all(servers.map((server) => pollServer(davit, server)));
  await exit(davit);
  await fail(davit, 'unpullable');
  await fail(davit, 'unschedulable');
  await fail(davit, 'crashing');
  await waitForRoom(davit);
  await beEvicted(davit, inputs, recorded);
  await beAbandoned(davit, inputs);
  await sweep(davit);
  await comeLate(davit, inputs);
  await loseCluster(davit, inputs);
  await findCluster(davit);
  return { config: davit.config, aws: recorded.calls, kubernetes, namespaces };
}

const unlike: Record<string, Partial<Profile>> = {
  'by-node': { hostAddress: 'nodeInternalIP' },
  'dial-out': { expose: 'none' },
  idle: { labels: ['idle'] },
};

/** Makes every profile choose between two clusters, which are one cluster under two names. */
function withSecondName(config: Config): Config {
  const [cluster] = config.clusters;
  if (cluster === undefined) throw new Error('the config has no cluster');
  const clusters = [cluster, { ...cluster, name: `${cluster.name}-too` }];
  const names = clusters.map(({ name }) => name);
  const profiles = config.profiles.map((profile) => ({ ...profile, clusters: names, strategy: 'ordered' as const }));
  return { ...config, clusters, profiles };
}

function withEveryProfile(config: Config): Config {
  const added = withProfiles(withSecondName(config), {
    'by-node': {},
    'dial-out': {},
    idle: { agent: idle },
    limited: { agent: idle },
    unpullable: { agent: { image: 'registry.example.com/none:1' }, graces: { imagePullSeconds: 1 } },
    unschedulable: { agent: idle, spec: { nodeSelector: { disk: 'none' } }, deadlines: { placementSeconds: 2 } },
    crashing: { agent: { command: ['sh', '-c', 'echo no disk >&2; exit 3'] } },
    abandoned: { agent: idle, spec: { nodeSelector: { disk: 'none' } } },
  });
  const profiles = added.profiles.map((profile) => ({ ...profile, ...unlike[profile.name] }));
  const limited = [
    { ...joiningProfile(added), rerunWhenLost: true },
    ...profiles.filter(({ name }) => name === 'limited'),
  ];
  const unlimited = [...profiles.filter(({ name }) => name !== 'limited'), warmProfile(added)];
  return { ...added, profiles: [...unlimited, ...limited.map((profile) => ({ ...profile, maxAgents: 1 }))] };
}

/** A profile whose agents may stand by; davit launches none before there is a job. */
function warmProfile(config: Config): Profile {
  const warm = { agents: 0, ciSystem: 'acme', repositories: [`${exampleOwner}/${exampleRepository}`] };
  return { ...joiningProfile(config), name: 'warm', labels: ['warm'], warm };
}

/**
 * Adds a CI system, which is polled only when a test asks, and a profile of one agent for its jobs with a label.
 *
 * @param system the keys of its entry without its name and its secrets
 */
function withPolled(config: Config, provider: RunnerProvider, label: string, system: object): Config {
  const secrets = { webhookSecret: `${provider}-hook`, tokenSecret: `${provider}-token` };
  const added = CiSystemConfig.parse({ ...system, ...secrets, name: provider, provider });
  const profile = {
    ...joiningProfile(config),
    name: label,
    labels: [label],
    runner: provider,
    scope: 'organization',
    maxAgents: 1,
  };
  return {
    ...config,
    ciSystems: [...config.ciSystems, added],
    profiles: [...config.profiles, Profile.parse(profile)],
  };
}

/** The last input of each state's function. */
type Inputs = ReadonlyMap<string, JsonValue>;

function keepInputs({ runtime }: AwsTestRuntime): Inputs {
  const inputs = new Map<string, JsonValue>();
  runtime.stepFunctions.onEvent(({ stateEnteredEventDetails: details }) => {
    if (details?.name !== undefined) inputs.set(details.name, parseJson(details.input ?? 'null'));
  });
  return inputs;
}

/** A job whose webhooks are each delivered twice. */
async function workAndEnd(davit: AwsTestRuntime): Promise<void> {
  const job = newJob();
  for (const action of ['queued', 'queued'] as const) await davit.github.deliver(job, action);
  await registration(davit, job);
  await untilExecutionEnds(davit.runtime, job.launchId);
  for (const action of ['completed', 'completed'] as const) await davit.github.deliver(job, action);
  await davit.launches.until(job.launchId, 'terminated');
  // The completion of a job that was never queued leaves a tombstone.
  await davit.github.deliver(newJob(), 'completed');
}

async function askByHand(davit: AwsTestRuntime): Promise<void> {
  for (const profile of ['by-node', 'dial-out']) {
    const asked = { profile, jobId: `by-hand-${profile}` };
    const launchId = await davit.launches.request(asked);
    await davit.launches.post(asked);
    await registration(davit, { agentName: agentNameOf(launchId) });
    await davit.launches.end(launchId);
    await end(davit, launchId);
  }
  await get(davit, '/launches?status=terminated');
}

/** A CI system with its own webhooks, and an agent that registers there. */
async function join(davit: AwsTestRuntime): Promise<void> {
  const webhooks = await acmeWebhooks(davit);
  await webhooks.deliver(newJob(), 'completed');
  const launchId = 'acme-1-1-1';
  await launchJoining(davit, launchId, 'idle');
  await useUpSlots(davit);
  await connectWell(davit, launchId);
  await registerLate(davit, launchId);
  await end(davit, launchId);
}

/** The next registration finds its slot full, and takes its points from a later one. */
async function useUpSlots({ runtime: { services } }: AwsTestRuntime): Promise<void> {
  const client = createDynamoClient(localAws(services.dynamoDbUrl, services.secretAccessKey));
  const pace = createDynamoRequestPace({ client, tableName: services.jobsTable });
  const slot = slotOf(Date.now());
  for (const ahead of [0, 1, 2, 3, 4, 5, 6, 7]) {
    await pace.take({ ciSystem: 'acme', slot: slot + ahead, points: 40, most: 40 });
  }
}

/** A job with a size, which no profile allows. */
async function refuse(davit: AwsTestRuntime): Promise<void> {
  const webhooks = await acmeWebhooks(davit);
  const answer = await webhooks.deliver(justQueued([joining, 'davit/cpu=64']), 'queued');
  if (!JSON.stringify(answer).includes('takes no davit/cpu=64')) throw new Error(JSON.stringify(answer));
}

/** A job whose webhook comes at once. davit leaves older ones to reconciling. */
function justQueued(labels: readonly string[]) {
  return { ...newJob(labels), fields: { created_at: new Date().toISOString() } };
}

/** The webhooks of the CI system where agents register. */
async function acmeWebhooks({ runtime }: AwsTestRuntime): Promise<GithubWebhooks> {
  return createGithubWebhooks(`${runtime.url}/webhooks/acme`, await runtime.webhookSecret('acme'));
}

/** A registration that a later one overtakes. */
async function registerLate(davit: AwsTestRuntime, launchId: LaunchId): Promise<void> {
  const late = { launchId, agentName: agentNameOf(launchId), nonce: 'overtaken' };
  const { payload } = await davit.runtime.invoke('register-runner', late);
  if (!JSON.stringify(payload).includes('superseded')) throw new Error(JSON.stringify(payload));
}

/**
 * A second agent of a profile that allows one. First a caller requests it, then a job, which gets the slot of the first
 * agent.
 */
async function waitForSlots(davit: AwsTestRuntime): Promise<void> {
  const launchId = await davit.launches.request({ profile: 'limited', jobId: 'limited' });
  const refused = await davit.launches.post({ profile: 'limited', jobId: 'over' });
  if (refused.status !== 429) throw new Error(`a launch over its limit was answered ${refused.status}`);
  await davit.launches.end(launchId);
  const webhooks = await acmeWebhooks(davit);
  const [first, second] = [justQueued([joining]), justQueued([joining])];
  const answers = [await webhooks.deliver(first, 'queued'), await webhooks.deliver(second, 'queued')];
  if (answers.map(({ status }) => status).join() !== '202,200') throw new Error(JSON.stringify(answers));
  await get(davit, '/jobs');
  const [firstId, secondId] = [first, second].map((job) => job.launchId.replace('github', 'acme'));
  await davit.launches.end(firstId ?? '');
  await until('the second job has the slot of the first', 60_000, async () =>
    (await davit.launches.get(`/launches/${secondId}`)).status === 200 ? true : undefined,
  );
  for (const job of [first, second]) await webhooks.deliver(job, 'completed');
  await end(davit, secondId ?? '');
}

/** A job for which no agent stands by, and the agent of its own launch, which asks whether the job still waits. */
async function comeForJob(davit: AwsTestRuntime): Promise<void> {
  const webhooks = await acmeWebhooks(davit);
  const job = justQueued(['warm']);
  await webhooks.deliver(job, 'queued');
  const launchId = LaunchId.parse(job.launchId.replace('github', 'acme'));
  await connectWell(davit, launchId);
  await webhooks.deliver(job, 'completed');
  await end(davit, launchId);
}

/** Two jobs without webhooks: one is gone before its agent gets it, and one runs. */
async function reconcile(davit: AwsTestRuntime, github: CheckedGithub): Promise<void> {
  const retired = await runLostJob(davit, github);
  await until('its commit says that it waits', reconciledMs, async () => {
    await reconcileOnce(davit);
    return github.statuses.size > 0;
  });
  await reportLate(davit, retired);
  for (const job of github.state.jobs) Object.assign(job, { status: 'completed', conclusion: 'cancelled' });
  await until('its agent is retired', reconciledMs, async () => {
    await reconcileOnce(davit);
    return !(await liveLaunches(davit)).includes(retired);
  });
  await davit.launches.until(retired, 'terminated');

  const bound = await runLostJob(davit, github);
  const [runner] = github.state.runners.values();
  if (runner === undefined) throw new Error("the lost job's agent has no runner");
  github.state.assign(runner);
  const runs = await until('the job is bound', reconciledMs, async () => {
    await reconcileOnce(davit);
    return (await davit.runtime.ports.launches.get(bound))?.runs;
  });
  // Its runner fails it when its Pod is evicted: clean-up remembers it. It shall not run again here.
  await evict(davit, bound);
  github.state.complete(runner, false);
  const [, repositoryId, id, attempt] = runs.jobKey.split('/').map(Number);
  const repository = { id: repositoryId ?? 0, owner: exampleOwner, name: exampleRepository };
  const fields = { run_id: runs.job?.runId, run_attempt: attempt, conclusion: 'failure' };
  const failed = { id: id ?? 0, labels: [joining], repository, runner, fields };
  await (await acmeWebhooks(davit)).deliver(failed, 'completed');
  await davit.launches.until(bound, 'terminated');
  for (const job of github.state.jobs) Object.assign(job, { conclusion: 'success' });
}

async function evict({ cluster: { sandbox } }: AwsTestRuntime, launchId: LaunchId): Promise<void> {
  const pod = sandbox.store.get('pods', 'davit-agents', agentNameOf(launchId));
  if (pod === undefined) throw new Error(`${launchId} has no Pod`);
  await sandbox.node.evict(pod);
}

/** A job of a Jenkins whose agent runs it, and one that its profile does not take. */
async function poll(davit: AwsTestRuntime, jenkins: FakeJenkins): Promise<void> {
  jenkins.enqueueFreestyle({ name: 'app', label: 'polled', script: 'true' });
  jenkins.enqueueFreestyle({ name: 'large', label: 'polled&&davit/cpu=64' });
  await requestPoll(davit, { provider: 'jenkins', sign: signBody });
  const launchId = await launchOf(davit, 'jenkins');
  const { environment = {} } = await connectWell(davit, launchId);
  const { JENKINS_AGENT_NAME: name = '', JENKINS_SECRET: secret = '' } = environment;
  await using agents = new AsyncDisposableStack();
  agents.use(await connectInboundAgent({ url: jenkins.url, name, secret }));
  await until('the polled job is over', reconciledMs, async () => jenkins.state.builds[0]?.result);
  await until('its launch is over', reconciledMs, async () => {
    await davit.runtime.invoke('poll-ci', { ciSystem: 'jenkins' });
    return !(await liveLaunches(davit)).includes(launchId);
  });
  await davit.launches.until(launchId, 'terminated');

  // A registered agent that a person ends: its node is taken out of the Jenkins.
  const waiting = jenkins.enqueueFreestyle({ name: 'app', label: 'polled' });
  await davit.runtime.invoke('poll-ci', { ciSystem: 'jenkins' });
  const second = await launchOf(davit, 'jenkins');
  await connectWell(davit, second);
  await davit.launches.end(second);
  await until('its node is gone', reconciledMs, async () => jenkins.state.nodes.size === 0);

  // An agent that is surplus, because its job is cancelled.
  const item = jenkins.enqueueFreestyle({ name: 'cancelled', label: 'polled' });
  await davit.runtime.invoke('poll-ci', { ciSystem: 'jenkins' });
  const third = await launchOf(davit, 'jenkins');
  await connectWell(davit, third);
  await until('a reconcile asks the Jenkins', reconciledMs, async () => {
    const { length } = jenkins.exchanges;
    await reconcileOnce(davit);
    return jenkins.exchanges.length > length;
  });
  for (const each of [waiting, item]) jenkins.state.cancel(each);
  await davit.runtime.invoke('poll-ci', { ciSystem: 'jenkins' });
  await davit.launches.until(third, 'terminated');
}

/** A job of a polled CI system whose agent registers. The job is cancelled, and a person ends the agent. */
async function pollServer(davit: AwsTestRuntime, server: PolledServer): Promise<void> {
  const { provider } = server;
  const cancel = server.queue(provider);
  await requestPoll(davit, server);
  const launchId = await launchOf(davit, provider, () => davit.runtime.invoke('poll-ci', { ciSystem: provider }));
  await connectWell(davit, launchId);
  await until(`a reconcile asks ${provider}`, reconciledMs, async () => {
    const asked = server.countRequests();
    await reconcileOnce(davit);
    return server.countRequests() > asked;
  });
  cancel();
  await davit.launches.end(launchId);
  await until(`the runner of ${provider} is gone`, reconciledMs, async () => server.countRunners() === 0);
  await davit.launches.until(launchId, 'terminated');
}

/** A signed webhook, which asks for a poll. */
async function requestPoll(
  davit: AwsTestRuntime,
  { provider, sign }: Pick<PolledServer, 'provider' | 'sign'>,
): Promise<void> {
  const body = '{}';
  const headers = sign(await davit.runtime.webhookSecret(provider), body);
  const { status } = await fetch(`${davit.runtime.url}/webhooks/${provider}`, { method: 'POST', headers, body });
  if (status >= 300) throw new Error(`a signed request to poll ${provider} was answered ${status}`);
}

/** A report that arrives after a later one was published. */
async function reportLate(davit: AwsTestRuntime, launchId: LaunchId): Promise<void> {
  const record = await davit.runtime.ports.launches.get(launchId);
  const report = {
    ciSystem: 'acme',
    jobKey: record?.plan?.jobKey ?? '',
    repository: { owner: exampleOwner, name: exampleRepository },
    sha: 'c0ffee',
    context: 'davit',
    state: 'pending',
    description: 'late',
    atEpochMs: Date.now() - reconciledMs,
  };
  await until('a late report is overtaken', reconciledMs, async () => {
    const { payload } = await davit.runtime.invoke('report-to-ci', report);
    return JSON.stringify(payload).includes('overtaken');
  });
}

/** @returns the launch whose agent is registered for it */
async function runLostJob(davit: AwsTestRuntime, github: CheckedGithub): Promise<LaunchId> {
  github.state.queueRun(exampleOwner, exampleRepository, [{ name: 'lost', labels: [joining], steps: [] }]);
  const launchId = await launchOf(davit, 'acme', () => reconcileOnce(davit));
  await connectWell(davit, launchId);
  return launchId;
}

const reconciledMs = 60_000;

/** The live launch of a CI system's job. @param look repeated until there is one. @default davit looks by itself */
async function launchOf(
  davit: AwsTestRuntime,
  ciSystem: string,
  look: () => Promise<unknown> = async () => {},
): Promise<LaunchId> {
  return await until(`a job of ${ciSystem} has a launch`, reconciledMs, async () => {
    await look();
    return (await liveLaunches(davit)).find((id) => id.startsWith(`${ciSystem}-`));
  });
}

/** Connects in the place of an agent. @throws Error unless it is let in */
async function connectWell(davit: AwsTestRuntime, launchId: LaunchId): Promise<Connected> {
  const answer = await connectAs(davit, launchId);
  if (answer.status !== 200) throw new Error(`the agent of ${launchId} was answered ${answer.status}`);
  return answer;
}

/** Asks the launches API. @throws Error unless it answers */
async function get({ launches }: AwsTestRuntime, path: string): Promise<void> {
  const { status } = await launches.get(path);
  if (status !== 200) throw new Error(`GET ${path} was answered ${status}`);
}

/** Ends a launch as a caller does, and waits until it is over. */
async function end({ launches }: AwsTestRuntime, launchId: string): Promise<void> {
  await launches.end(launchId);
  await launches.until(launchId, 'terminated');
}

async function liveLaunches({ runtime }: AwsTestRuntime): Promise<LaunchId[]> {
  const page = await runtime.ports.launches.list({ statuses: liveStatuses, limit: 100 });
  return page?.launches.map(({ launchId }) => launchId) ?? [];
}

/** A registered agent whose Pod is deleted: the sweep ends its launch, and requests the removal of its runner. */
async function exit(davit: AwsTestRuntime): Promise<void> {
  const launchId = 'acme-2-2-1';
  const agentName = agentNameOf(launchId);
  await launchJoining(davit, launchId, joining);
  await connectWell(davit, launchId);
  await untilExecutionEnds(davit.runtime, launchId);
  davit.cluster.sandbox.store.delete('pods', 'davit-agents', agentName);
  await until('the sweep has ended it', reconciledMs, async () => {
    await davit.runtime.invoke('sweep', { graceSeconds: 0 });
    return !(await liveLaunches(davit)).includes(launchId);
  });
}

async function fail(davit: AwsTestRuntime, profile: string): Promise<void> {
  await davit.launches.until(await davit.launches.request({ profile, jobId: profile }), 'failed');
}

const quota: FaultAnswer = {
  code: 403,
  reason: 'Forbidden',
  message: 'davit-x is forbidden: exceeded quota: agents, requested: count=1, used: count=2, limited: count=2',
};

/** A launch that waits for quota, for its Service and then for its Pod. Its node port is late. */
async function waitForRoom(davit: AwsTestRuntime): Promise<void> {
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
  await end(davit, launchId);
}

/** A launch whose cluster is away for a moment, and whose Pod is then evicted as PublishToken begins. */
async function beEvicted(davit: AwsTestRuntime, inputs: Inputs, recorded: AwsCalls): Promise<void> {
  const awaited = comes(davit, entered('PublishToken'));
  const launchId = await davit.launches.request({ profile: 'idle', jobId: 'evicted' });
  await awaited;
  const { faults } = davit.cluster.sandbox;
  breakReads(davit);
  for (const state of ['CreateService', 'PollNodePort', 'CreatePod', 'PollHostIP', 'PublishToken'] as const) {
    const functionName = stateMachineFunctions[`${state}FunctionArn`];
    await untilReported(recorded, functionName, () => davit.runtime.invoke(functionName, inputOf(inputs, state)));
  }
  faults.clear();
  faults.add({ match: { verb: 'list', resource: 'services' }, effect: broken });
  await evict(davit, launchId);
  await untilReported(recorded, 'relaunch');
  const awaitedAgain = comes(davit, entered('PublishToken'));
  faults.clear();
  await awaitedAgain;
  await end(davit, launchId);
}

/**
 * Repeats an invocation until its function has written a cluster's state. A function does not report a failure that
 * began before a probe's latest answer.
 *
 * @param invoke
 * @default the state machine repeats it
 */
async function untilReported(
  recorded: AwsCalls,
  functionName: FunctionName,
  invoke: () => Promise<unknown> = async () => {},
): Promise<void> {
  await until(`${functionName} reports a failure`, 60_000, async () => {
    await invoke();
    return recorded.calls.some(
      ({ by, action, resource }) =>
        by === functionName && action === 'dynamodb:UpdateItem' && resource.endsWith('/davit-clusters'),
    );
  });
}

/**
 * A launch whose agent asks too early. A process marks the launch as over and dies before it stops the execution, so
 * its steps continue.
 */
async function beAbandoned(davit: AwsTestRuntime, inputs: Inputs): Promise<void> {
  const polled = comes(davit, entered('PollHostIP'));
  const launchId = await davit.launches.request({ profile: 'abandoned', jobId: 'abandoned' });
  await polled;
  await askEarly(davit, agentNameOf(launchId));
  await listLaunching(davit);
  const ending = { outcome: 'terminated', code: 'Terminated', message: 'Terminated: abandoned', by: 'nobody' } as const;
  await davit.runtime.ports.launches.end(launchId, { ...ending, atEpochMs: Date.now() });
  const refused = comes(davit, awsRequest('GetItem'));
  // PublishToken watches until the Pod is gone: the sweep deletes the Pod.
  void davit.runtime.invoke('poll-host-ip', inputOf(inputs, 'PollHostIP'));
  await refused;
}

/** The functions that read the records of launches under way. The probe goes on while there are any. */
async function listLaunching(davit: AwsTestRuntime): Promise<void> {
  await get(davit, '/clusters');
  const listed = comes(davit, awsRequest('BatchGetItem'));
  void davit.runtime.invoke('probe', {});
  await listed;
}

async function askEarly(davit: AwsTestRuntime, agentName: string): Promise<void> {
  const early = await fetch(`${davit.runtime.url}/agents/${agentName}/connect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentialInPod(davit, agentName)}` },
  });
  if (early.status !== 503) throw new Error(`an agent that asked early was answered ${early.status}`);
}

/** A launch that was accepted and never started, an abandoned one, and a Service of an ended one. */
async function sweep(davit: AwsTestRuntime): Promise<void> {
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
  const swept = await davit.runtime.invoke('sweep', { graceSeconds: 0 });
  if (swept.functionError !== undefined) throw new Error(JSON.stringify(swept.payload));
  await davit.launches.until(apiLaunchId('abandoned'), 'terminated');
  await registration(davit, { agentName: agentNameOf(launchId) });
  await end(davit, launchId);
}

/** Repeats of each step after everything is over, as Lambda makes them. Most fail, and report why. */
async function comeLate(davit: AwsTestRuntime, inputs: Inputs): Promise<void> {
  for (const [placeholder, functionName] of Object.entries(stateMachineFunctions)) {
    await davit.runtime.invoke(functionName, inputOf(inputs, placeholder.replace('FunctionArn', '')));
  }
}

const broken = { kind: 'drop', when: 'before' } as const;

/** Attempts of each step, and a sweep, that do not reach the cluster: each reports that. */
async function loseCluster(davit: AwsTestRuntime, inputs: Inputs): Promise<void> {
  breakReads(davit);
  await comeLate(davit, inputs);
  // CleanUp leaves a launch alone that is over already. Who asks by its id has davit look again.
  const { launchId } = Object(inputOf(inputs, 'CleanUp'));
  await davit.runtime.invoke('clean-up', { launchId });
  await davit.runtime.invoke('sweep', { dryRun: true });
  davit.cluster.sandbox.faults.clear();
}

/**
 * Prevents every step from reading its objects. The probe still reaches the cluster: if it saw a failure before a step
 * did, the step would report nothing.
 */
function breakReads({ cluster }: AwsTestRuntime): void {
  cluster.sandbox.faults.add({ match: { verb: 'get' }, effect: broken });
  cluster.sandbox.faults.add({ match: { verb: 'list', resource: 'services' }, effect: broken });
}

async function findCluster(davit: AwsTestRuntime): Promise<void> {
  const probed = await davit.runtime.invoke('probe', {});
  if (probed.functionError !== undefined) throw new Error(JSON.stringify(probed.payload));
  await get(davit, '/jobs');
  await get(davit, '/clusters');
}

function inputOf(inputs: Inputs, state: string): JsonValue {
  const input = inputs.get(state);
  if (input === undefined) throw new Error(`${state} was never entered`);
  return input;
}
