import { JenkinsConfig } from '../../../../ci/jenkins/config.ts';
import { createJenkins } from '../../../../ci/jenkins/create-jenkins.ts';
import { everyOwner } from '../../../../core/ci/ci-scope.ts';
import { isLive, type LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { registerRunner } from '../../../../functions/register-runner/register-runner.ts';
import type { Polled } from '../../../../logic/polling/poll.ts';
import { pollSystem } from '../../../../logic/polling/poll-system.ts';
import { until } from '../../../prove/cluster/until.ts';
import { beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import { type HeldBuilds, holdBuilds } from '../../../support/jenkins/hold-builds.ts';
import { connectInboundAgent, type InboundAgent } from '../../../support/jenkins/inbound-agent.ts';
import { type FakeJenkins, startFakeJenkins } from '../../../support/jenkins/start-fake-jenkins.ts';
import { onlyUnendedLaunch, registerAgent, unendedLaunches } from '../../../support/polled-launches.ts';
import { makePolledWorld, type PolledWorld, reconciling, retireAsked } from './polled-world.ts';

const scope = { organization: everyOwner };
const agents: InboundAgent[] = [];
let jenkins: FakeJenkins;
let held: HeldBuilds;
let system: ReturnType<typeof JenkinsConfig.parse>;
let ci: ReturnType<typeof createJenkins>;
let deps: PolledWorld;

beforeEach(async () => {
  jenkins = await startFakeJenkins();
  held = await holdBuilds();
  const { url, user } = jenkins;
  const secrets = { webhookSecret: 'hook', tokenSecret: 'token' };
  system = JenkinsConfig.parse({ name: 'jenkins', provider: 'jenkins', url, user: user.name, ...secrets });
  startAnew();
  deps = makePolledWorld({ system, labels: ['linux', 'docker'], ciSystemOf: () => ci, nowEpochMs: Date.now });
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent[Symbol.asyncDispose]();
  await jenkins.stop();
  await held[Symbol.asyncDispose]();
});

/** Forgets what a process keeps in its memory. */
function startAnew(): void {
  const { url, user } = jenkins;
  const readToken = async () => user.apiToken;
  ci = createJenkins({ name: 'jenkins', url, user: user.name, readToken, timeoutMs: 10_000 });
}

/** Polls as a new process does, or goes on from a poll of the same process. */
function poll(before?: Polled): Promise<Polled> {
  return pollSystem(deps, system, before);
}

const live = () => unendedLaunches(deps);
const launchOfOnly = () => onlyUnendedLaunch(deps);

/** Does for a launch what its agent and register-runner do: registers it, and connects. */
async function joined(launch: LaunchRecord, reconnects = true): Promise<string> {
  const { runner, environment } = await registerAgent(deps, ci, launch);
  const { JENKINS_URL: url = '', JENKINS_SECRET: secret = '' } = environment;
  agents.push(await connectInboundAgent({ url, name: runner.name, secret, reconnects }));
  return runner.name;
}

/** Does for a launch what its agent and register-runner do, until the agent runs a job. */
async function busy(launch: LaunchRecord, reconnects?: boolean): Promise<string> {
  const name = await joined(launch, reconnects);
  await untilBusy(name);
  return name;
}

/** Has a job launched for, and run by the only agent. */
async function runningJob(): Promise<{ launch: LaunchRecord; name: string }> {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux', script: held.script });
  await poll();
  const launch = await launchOfOnly();
  return { launch, name: await busy(launch) };
}

/** Has a pipeline launched for, beside a job that no profile takes. */
async function launchOfPipeline(script = held.script): Promise<LaunchRecord> {
  jenkins.enqueueFreestyle({ name: 'seed', label: 'windows' });
  await poll();
  jenkins.enqueuePipeline({ name: 'pipe', label: 'linux', script });
  await poll();
  await poll();
  return launchOfOnly();
}

async function untilBusy(name: string): Promise<void> {
  await until(`${name} is busy`, 10_000, async () => jenkins.state.nodes.get(name)?.executors.some(Boolean));
}

/** Lets the builds end. */
async function untilIdle(name: string): Promise<void> {
  await held.release();
  await until(`${name} is idle`, 10_000, async () => !jenkins.state.nodes.get(name)?.executors.some(Boolean));
}

test('a job is launched for once, bound to the agent that runs it, and ended with its launch and its node', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux && docker', script: held.script });

  const first = await poll();
  const again = await poll();
  const launch = await launchOfOnly();
  const name = await busy(launch);
  await poll();
  const running = await launchOfOnly();
  await untilIdle(name);
  const last = await poll();

  expect([first.queued, again.queued]).toEqual([1, 0]);
  expect(running.runs?.job).toMatchObject({ name: 'app', repository: '-/app' });
  expect(await live()).toEqual([]);
  expect(await deps.launches.get(launch.launchId)).toMatchObject({
    ending: { by: 'jenkins workflow_job completed (success)' },
    deregisteredAtEpochMs: expect.any(Number),
  });
  expect(jenkins.state.nodes.size).toBe(0);
  expect(jenkins.state.builds).toMatchObject([{ result: 'SUCCESS' }]);
  expect(last).toMatchObject({ cursor: { open: [] }, errors: [] });
});

test('an agent that took the job of another one is ended by the end of that job', async () => {
  jenkins.enqueueFreestyle({ name: 'first', label: 'linux', script: held.script });
  jenkins.enqueueFreestyle({ name: 'second', label: 'linux', script: held.script });
  await poll();
  const [one, other] = (await live()).toSorted((a, b) => a.launchId.localeCompare(b.launchId));
  if (one === undefined || other === undefined) throw new Error('two launches are missing');

  // The second launch's agent is first.
  const nameOfOther = await busy(other);
  await poll();
  await untilIdle(nameOfOther);
  await poll();

  expect(await deps.launches.get(other.launchId)).toMatchObject({ runs: { job: { name: 'first' } } });
  expect((await live()).map(({ launchId }) => launchId)).toEqual([one.launchId]);
  expect(deps.executions.stopped).not.toContain(one.launchId);
});

test('the parts of a pipeline that look alike are told apart by their agents', async () => {
  const name = await busy(await launchOfPipeline());
  const { cursor } = await poll();
  const bound = await launchOfOnly();
  await untilIdle(name);
  await poll();

  expect(bound.runs?.job).toMatchObject({ name: 'pipe #1', runId: 1 });
  expect(cursor.open.flatMap(({ runner }) => runner?.name ?? [])).toEqual([name]);
  expect(await live()).toEqual([]);
});

test('a job that was cancelled in the queue is over, and leaves its launch to reconcile', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  const { cursor } = await poll();
  jenkins.state.cancel(item);

  const { cursor: after } = await poll();

  expect(after.open).toEqual([]);
  const [record] = await deps.jobs.getMany(cursor.open.map(({ jobKey }) => jobKey));
  expect(record).toMatchObject({ status: 'completed', conclusion: 'cancelled' });
  expect(await live()).toHaveLength(1);
});

test('an agent that took a second job before davit saw the first is not ended while it runs', async () => {
  jenkins.enqueueFreestyle({ name: 'quick', label: 'linux', script: 'true' });
  await poll();
  const launch = await launchOfOnly();
  const name = await joined(launch);
  await until('the first build is over', 10_000, async () => jenkins.state.builds[0]?.result);
  jenkins.enqueueFreestyle({ name: 'slow', label: 'linux', script: held.script });
  await untilBusy(name);

  await poll();
  const during = await deps.launches.get(launch.launchId);
  await untilIdle(name);
  await poll();

  expect(during).toMatchObject({ status: 'connected', runs: { job: { name: 'quick' } } });
  expect(jenkins.state.builds.map(({ result }) => result)).toEqual(['SUCCESS', 'SUCCESS']);
  expect(isLive(await deps.launches.get(launch.launchId))).toBe(false);
});

test('a poller that dies before it stores its cursor, and is back when the job is over, ends its agent', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux', script: held.script });
  const restore = refuseCalls(deps.cursors, 'keep', new Error('killed'));
  await expect(poll()).rejects.toThrow('killed');
  restore();
  const launch = await launchOfOnly();
  const name = await busy(launch);
  await untilIdle(name);

  await poll();

  expect(await deps.launches.get(launch.launchId)).toMatchObject({
    status: 'cleaning',
    runs: { job: { name: 'app' } },
    ending: { by: 'jenkins workflow_job completed (success)' },
  });
  expect(jenkins.state.nodes.size).toBe(0);
});

test('a running job that the cursor lacks is known by its agent, and ended', async () => {
  const { name } = await runningJob();
  const { revision } = await poll();
  await deps.cursors.keep('jenkins', { open: [] }, revision ?? 0);
  await untilIdle(name);

  await poll();

  expect(await live()).toEqual([]);
  expect(jenkins.state.nodes.size).toBe(0);
});

test('a poll at once loses nothing to the scheduled poll that it overlaps', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'other', label: 'docker' });
  const scheduled = await poll();
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux && docker', script: held.script });
  await poll();
  const launch = (await live()).find(({ plan }) => plan?.job?.name === 'app');
  if (launch === undefined) throw new Error('the job has no launch');
  jenkins.state.cancel(item);
  const name = await busy(launch);
  await untilIdle(name);

  const next = await poll(scheduled);

  expect(isLive(await deps.launches.get(launch.launchId))).toBe(false);
  expect(jenkins.state.nodes.size).toBe(0);
  expect(next).toMatchObject({ cursor: { open: [] }, revision: 3 });
});

test('a poll that another one overtakes stores nothing, and the next one goes on from what is stored', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  const restore = beforeCalls(deps.cursors, 'keep', async () => {
    restore();
    await poll();
  });

  const overtaken = await poll();
  const next = await poll(overtaken);

  expect(overtaken.revision).toBeUndefined();
  expect(next).toMatchObject({ cursor: overtaken.cursor, revision: 1 });
  expect(await live()).toHaveLength(1);
});

test('a process that goes on from its own cursor does not list the jobs in the records', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  const first = await poll();
  deps.jobs.listWaiting = async () => Promise.reject(new Error('listed'));

  const next = await poll(first);

  expect(next).toMatchObject({ cursor: first.cursor, revision: 1 });
  await expect(poll()).rejects.toThrow('listed');
});

test('after a cold start, the second part of a pipeline is not taken for the one on the first agent', async () => {
  const first = jenkins.enqueuePipeline({ name: 'pipe', label: 'linux', script: held.script });
  await poll();
  await poll();
  const launch = await launchOfOnly();
  const name = await busy(launch);
  await poll();
  jenkins.state.items.push({ ...first, id: 9, state: 'waiting', inQueueSinceEpochMs: Date.now() });
  jenkins.state.maintain();
  await poll();
  await poll();
  const second = (await live()).find(({ launchId }) => launchId !== launch.launchId);
  if (second === undefined) throw new Error('the second part has no launch');
  const nameOfSecond = await busy(second);
  startAnew();

  const { cursor } = await poll();

  expect(cursor.open.map(({ runner }) => runner?.name)).toEqual([name, nameOfSecond]);
  const { runs } = (await deps.launches.get(second.launchId)) ?? {};
  expect(runs?.jobKey).toBe(cursor.open[1]?.jobKey);
});

test('a pipeline that took the agent of another one when that was over is followed to its end', async () => {
  await using heldLater = await holdBuilds();
  jenkins.enqueueFreestyle({ name: 'seed', label: 'windows' });
  await poll();
  jenkins.enqueuePipeline({ name: 'first', label: 'linux', script: held.script });
  jenkins.enqueuePipeline({ name: 'second', label: 'linux', script: heldLater.script });
  await poll();
  await poll();
  const launch = (await live()).find(({ plan }) => plan?.job?.name === 'first #1');
  if (launch === undefined) throw new Error('the first pipeline has no launch');
  const name = await busy(launch);
  await poll();
  await held.release();
  await until('the second one runs', 10_000, async () => jenkins.state.builds[1]?.builtOn === name);

  const { cursor } = await poll();
  const second = cursor.open.find(({ runner, jobKey }) => runner !== undefined && jobKey !== launch.plan?.jobKey);
  const [running] = await deps.jobs.getMany([second?.jobKey ?? '']);
  const during = await deps.launches.get(launch.launchId);
  await heldLater.release();
  await until(`${name} is idle`, 10_000, async () => jenkins.state.builds[1]?.result);
  const last = await poll();

  expect(running).toMatchObject({ name: 'second #1', status: 'in_progress', runner: { name } });
  expect(during).toMatchObject({ status: 'connected', runs: { job: { name: 'first #1' } } });
  expect(isLive(await deps.launches.get(launch.launchId))).toBe(false);
  expect(last).toMatchObject({ cursor: { open: [{}] }, errors: [] });
  expect(jenkins.state.nodes.has(name)).toBe(false);
});

test.each<[string, () => void]>([
  ['in one process', () => {}],
  ['after a cold start', startAnew],
])('a part of a pipeline that is over is not taken for another part, which runs (%s)', async (_when, change) => {
  const first = jenkins.enqueuePipeline({ name: 'pipe', label: 'linux', script: held.script });
  await poll();
  await poll();
  await busy(await launchOfOnly());
  await poll();
  const part = { ...first, id: 9, state: 'buildable' as const, inQueueSinceEpochMs: Date.now() };
  jenkins.state.items.push(part);
  const { cursor } = await poll();
  Object.assign(part, { state: 'left' });
  change();

  await poll();

  const waiting = cursor.open.find(({ runner }) => runner === undefined);
  const [record] = await deps.jobs.getMany([waiting?.jobKey ?? '']);
  expect(record).toMatchObject({ name: 'pipe #1', status: 'completed' });
  expect(record?.runner).toBeUndefined();
});

test('a job that took the agent of another one between two polls asks for an agent, too, and is followed', async () => {
  jenkins.enqueueFreestyle({ name: 'seen', label: 'linux', script: held.script });
  await poll();
  const launch = await launchOfOnly();
  const [item] = jenkins.state.queue;
  jenkins.state.items.splice(0);
  jenkins.enqueuePipeline({ name: 'unseen', label: 'docker', script: held.script });
  const name = await busy(launch);
  if (item !== undefined) jenkins.state.items.push(item);

  await poll();
  const { cursor } = await poll();
  const bound = await deps.launches.get(launch.launchId);
  const others = (await live()).filter(({ launchId }) => launchId !== launch.launchId);
  await untilIdle(name);
  await poll();

  expect(bound?.runs?.job).toMatchObject({ name: 'unseen #1' });
  expect(cursor.open.map(({ runner }) => runner?.name)).toEqual([undefined, name]);
  expect(others).toHaveLength(1);
  expect(isLive(await deps.launches.get(launch.launchId))).toBe(false);
  expect(isLive(await deps.launches.get(others[0]?.launchId ?? ''))).toBe(true);
});

test('a job that was queued while nobody polled is launched for at once, however old it is', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  Object.assign(item, { buildableSinceEpochMs: Date.now() - 600_000 });

  await poll();

  expect(await live()).toHaveLength(1);
});

test('a job whose label expression is too long to be stored is told once, and not taken for new again', async () => {
  const labels = Array.from({ length: 400 }, (_, index) => `label-${index}`);
  jenkins.enqueueFreestyle({ name: 'app', label: ['linux', ...labels].join(' || ') });

  const first = await poll();
  const again = await poll(first);
  const anew = await poll();

  expect([first, again, anew].map(({ queued }) => queued)).toEqual([1, 0, 0]);
  expect(first.errors).toEqual([
    expect.stringMatching(/^job jenkins\/.*: label 1 of the job has \d+ characters: davit/),
  ]);
  expect([again.errors, anew.errors]).toEqual([[], []]);
});

test('a job whose table does not answer is told, and handled by the next poll', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  const restore = refuseCalls(deps.jobs, 'note', new Error('no table'));
  const failed = await poll();
  restore();

  const { errors } = await poll(failed);

  expect(failed).toMatchObject({
    cursor: { open: [] },
    errors: [expect.stringMatching(/^job jenkins\/.*: no table$/)],
  });
  expect(errors).toEqual([]);
  expect(await live()).toHaveLength(1);
});

test('a job on an agent that is not of this davit is followed no further', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux', script: held.script });
  await poll();
  const { environment } = await ci.register(scope, { name: 'somebody', labels: ['linux'] });
  const { JENKINS_URL: url = '', JENKINS_SECRET: secret = '' } = environment;
  agents.push(await connectInboundAgent({ url, name: 'somebody', secret }));
  await untilBusy('somebody');

  const { cursor } = await poll();

  expect(cursor.open).toEqual([]);
  expect(jenkins.state.nodes.get('somebody')?.temporaryOfflineCause).toBeUndefined();
  expect(await live()).toHaveLength(1);
});

test('an agent whose job was cancelled is retired with its node', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  await poll();
  const launch = await launchOfOnly();
  jenkins.state.quietingDown = true;
  const name = await joined(launch);
  await poll();
  const whileItWaits = [...deps.invokeLater.events['retire-runner']];
  jenkins.state.cancel(item);

  await poll();
  const cause = jenkins.state.nodes.get(name)?.temporaryOfflineCause;
  await retireAsked(deps);

  expect(whileItWaits).toEqual([]);
  expect(cause?.message).toBe('davit: this agent is no longer needed');
  expect(isLive(await deps.launches.get(launch.launchId))).toBe(false);
  expect(jenkins.state.nodes.size).toBe(0);
});

test('a retirement that is under way is not asked for again', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  await poll();
  const launch = await launchOfOnly();
  jenkins.state.quietingDown = true;
  await joined(launch);
  jenkins.state.cancel(item);

  await poll();
  await deps.registrations.retire(launch.launchId, 'surplus', Date.now());
  await poll();

  const actor = { kind: 'davit', name: 'poll-ci/surplus' };
  expect(deps.invokeLater.events['retire-runner']).toEqual([
    { launchId: launch.launchId, reason: 'no queued job waits for its agent', by: 'poll-ci', actor },
  ]);
});

test('an agent that ran a job between two polls, which no poll saw, does not get one of another project', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'cancelled', label: 'linux && docker' });
  await poll();
  jenkins.state.cancel(item);
  const name = await joined(await launchOfOnly());
  jenkins.enqueueFreestyle({ name: 'quick', label: 'linux', script: 'true' });
  await until('the build is over', 10_000, async () => jenkins.state.builds.at(-1)?.result);
  await untilIdle(name);

  await poll();
  const next = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  await retireAsked(deps);

  expect(jenkins.state.builds).toMatchObject([{ job: 'quick', builtOn: name }]);
  expect(next.state).toBe('buildable');
  expect(jenkins.state.nodes.size).toBe(0);
});

test('an agent that ran a whole part of a pipeline between two polls does not get another job', async () => {
  const name = await joined(await launchOfPipeline('true'));
  await until('the build is over', 10_000, async () => jenkins.state.builds.at(-1)?.result);
  await untilIdle(name);

  await poll();
  const next = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  await retireAsked(deps);

  expect(next.state).toBe('buildable');
  expect([...jenkins.state.nodes.keys()]).not.toContain(name);
});

/** Does what the functions connect and register-runner do for an agent that asks for its secret. */
async function askForSecret({ launchId, plan }: LaunchRecord, nonce: string): Promise<string> {
  const agent = { launchId, agentName: plan?.agentName ?? '' };
  await deps.registrations.begin(agent, nonce, Date.now() + 1000);
  return (await registerRunner(deps, { ...agent, nonce })).outcome;
}

test('an agent that ran a whole part of a pipeline between two polls, and asks again, gets no other secret', async () => {
  const launch = await launchOfPipeline('true');
  const name = await joined(launch);
  await until('the build is over', 10_000, async () => jenkins.state.builds.at(-1)?.result);
  await untilIdle(name);

  expect(await askForSecret(launch, 'again')).toBe('over');
});

test('an agent that has never connected, because an answer was lost, gets another secret', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  await poll();
  const launch = await launchOfOnly();

  expect([await askForSecret(launch, 'first'), await askForSecret(launch, 'second')]).toEqual([
    'registered',
    'registered',
  ]);
});

test('an agent whose job is blocked for a while is kept', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  await poll();
  Object.assign(item, { state: 'waiting', quietUntilEpochMs: Date.now() + 60_000 });
  const name = await joined(await launchOfOnly());

  const { cursor } = await poll();

  expect(cursor.open).toHaveLength(1);
  expect(jenkins.state.nodes.get(name)?.temporaryOfflineCause).toBeUndefined();
  expect(deps.invokeLater.events['retire-runner']).toEqual([]);
});

test('an idle agent on which a pipeline may go on after a restart of Jenkins is kept', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  await poll();
  jenkins.state.quietingDown = true;
  const name = await joined(await launchOfOnly());
  jenkins.state.cancel(item);
  await jenkins.restart();

  await poll();

  expect(jenkins.state.nodes.get(name)?.temporaryOfflineCause).toBeUndefined();
  expect(deps.invokeLater.events['retire-runner']).toEqual([]);
});

test('a pipeline that waits to go on at its agent after a restart of Jenkins asks for no other agent', async () => {
  const launch = await launchOfPipeline();
  await busy(launch, false);
  const before = await poll();
  await jenkins.restart();

  await poll(before);
  await poll();

  const waiting = jenkins.state.items.filter(({ state }) => state === 'buildable').map(({ job }) => job);
  expect(waiting).toEqual(['seed', 'pipe']);
  expect((await live()).map(({ launchId }) => launchId)).toEqual([launch.launchId]);
});

test('a job that reconcile has seen first is asked for by the next poll, once', async () => {
  jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  await poll();
  jenkins.enqueueFreestyle({ name: 'later', label: 'linux' });
  await reconciling(deps)();
  const before = await live();

  await poll();
  await poll();

  expect(before).toHaveLength(1);
  expect(await live()).toHaveLength(2);
});

test('while nobody polls, reconcile launches for a queued job, and leaves a running one alone', async () => {
  let nowEpochMs = Date.now();
  deps.nowEpochMs = () => nowEpochMs;
  const { launch } = await runningJob();
  jenkins.enqueueFreestyle({ name: 'later', label: 'linux' });

  for (let round = 0; round < 3; round += 1) {
    nowEpochMs += 60_000;
    await reconciling(deps)();
  }

  const others = (await live()).filter(({ launchId }) => launchId !== launch.launchId);
  const running = await deps.launches.get(launch.launchId);
  expect(running).toMatchObject({ status: 'connected', runs: { job: { name: 'app' } } });
  expect(others).toHaveLength(1);
  expect(deps.invokeLater.events['retire-runner']).toEqual([]);
});
