import { createJenkins } from '../../../../ci/jenkins/create-jenkins.ts';
import { everyOwner } from '../../../../core/ci/ci-scope.ts';
import type { ReadJob } from '../../../../core/job/job-record.ts';
import { present } from '../../../../core/present.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import { until } from '../../../prove/cluster/until.ts';
import { type HeldBuilds, holdBuilds } from '../../../support/jenkins/hold-builds.ts';
import { connectInboundAgent, type InboundAgent } from '../../../support/jenkins/inbound-agent.ts';
import { type FakeJenkins, startFakeJenkins } from '../../../support/jenkins/start-fake-jenkins.ts';

const scope = { organization: everyOwner };
let jenkins: FakeJenkins;
let held: HeldBuilds;
let ci: ReturnType<typeof createJenkins>;
let nowEpochMs = Date.now();
const agents: InboundAgent[] = [];

beforeEach(async () => {
  nowEpochMs = Date.now();
  jenkins = await startFakeJenkins();
  held = await holdBuilds();
  ci = davitIn(jenkins);
});
afterEach(async () => {
  for (const agent of agents.splice(0)) await agent[Symbol.asyncDispose]();
  await jenkins.stop();
  await held[Symbol.asyncDispose]();
});

function davitIn({ url, user }: FakeJenkins, token = user.apiToken) {
  const readToken = async () => token;
  return createJenkins({
    name: 'jenkins',
    url,
    user: user.name,
    readToken,
    timeoutMs: 10_000,
    nowEpochMs: () => nowEpochMs,
  });
}

/** Registers an agent, and connects it as the preset does. */
async function agentNamed(name: string, labels = ['linux'], reconnects = false) {
  const { runner, environment } = await ci.register(scope, { name, labels });
  const { JENKINS_URL: url = '', JENKINS_SECRET: secret = '' } = environment;
  const agent = await connectInboundAgent({ url, name, secret, reconnects });
  agents.push(agent);
  return { agent, runner };
}

async function queued(): Promise<ReadJob[]> {
  return (await ci.listJobs(scope, ['queued'])) ?? [];
}

async function theQueued(): Promise<ReadJob> {
  const [job] = await queued();
  if (job === undefined) throw new Error('nothing is queued');
  return job;
}

function stateOf({ repository, jobId }: ReadJob, runner?: ReadJob['runner']): ReturnType<CiSystem['getJob']> {
  return ci.getJob(repository, jobId, present({ runner }));
}

async function untilRunning(name: string): Promise<void> {
  await until(`${name} is busy`, 10_000, async () =>
    jenkins.state.nodes.get(name)?.executors.some((build) => build !== undefined),
  );
}

/** Lets the builds end. */
async function untilIdle(name: string): Promise<void> {
  await held.release();
  await until(`${name} is idle`, 10_000, async () =>
    jenkins.state.nodes.get(name)?.executors.every((build) => build === undefined),
  );
}

const posts = (what: RegExp) => jenkins.exchanges.filter(({ method, path }) => method === 'POST' && what.test(path));

describe('the queue', () => {
  test('has the label expressions of freestyle jobs, and what davit needs to name them', async () => {
    jenkins.enqueueFreestyle({ name: 'app', label: 'linux && !arm' });

    expect(await queued()).toMatchObject([
      {
        attempt: 1,
        status: 'queued',
        name: 'app',
        labels: ['linux && !arm'],
        repository: { owner: '-', name: 'app' },
        url: `${jenkins.url}/job/app/`,
      },
    ]);
  });

  test('has no job that asks for no label, waits for its quiet period, or is blocked by its running build', async () => {
    jenkins.enqueueFreestyle({ name: 'any' });
    jenkins.enqueueFreestyle({ name: 'quiet', label: 'linux', quietPeriodMs: 60_000 });
    jenkins.enqueueFreestyle({ name: 'blocked', label: 'linux', script: held.script });
    await agentNamed('davit-a');
    await untilRunning('davit-a');
    jenkins.enqueueFreestyle({ name: 'blocked', label: 'linux' });

    expect(await queued()).toEqual([]);
  });

  test('tells the label of a pipeline by a node that davit makes, when Jenkins has none', async () => {
    jenkins.enqueuePipeline({ name: 'pipe', label: 'linux&&docker' });

    const before = await queued();
    const after = await queued();

    expect(before).toEqual([]);
    expect(after).toMatchObject([{ name: 'pipe #1', labels: ['linux&&docker'], runId: 1 }]);
    expect([...jenkins.state.nodes.keys()]).toEqual(['davit-signpost']);
  });

  test('tells the label of a pipeline by the only node that has it', async () => {
    await agentNamed('davit-a', ['linux', 'big']);
    await ci.stopAssigning(scope, (await ci.findRunners(scope, 'davit-a'))[0]?.id ?? 0);
    jenkins.enqueuePipeline({ name: 'pipe', label: 'linux' });

    expect(await queued()).toMatchObject([{ labels: ['linux&&big'] }]);
  });
});

describe('an agent of davit', () => {
  test('gets a secret, takes only jobs that ask for its labels, and runs one', async () => {
    jenkins.enqueueFreestyle({ name: 'app', label: 'linux', script: 'test 1 = 1' });
    const job = await theQueued();
    const { runner } = await agentNamed('davit-a');
    await until('the job is over', 10_000, async () => (await stateOf(job))?.status === 'completed');

    expect(jenkins.state.nodes.get('davit-a')).toMatchObject({ mode: 'EXCLUSIVE', webSocket: true, labels: ['linux'] });
    expect(await stateOf(job)).toEqual({ attempt: 1, status: 'completed', conclusion: 'success', runner });
  });

  test('whose name is taken conflicts, and the node stays', async () => {
    await agentNamed('davit-a');

    await expect(ci.register(scope, { name: 'davit-a', labels: ['linux'] })).rejects.toMatchObject({
      name: 'TransientError',
      code: 'WriteConflict',
    });
    expect(await ci.findRunners(scope, 'davit-a')).toHaveLength(1);
  });

  test('never takes a second freestyle build, once davit has seen the first', async () => {
    jenkins.enqueueFreestyle({ name: 'first', label: 'linux', script: held.script });
    const job = await theQueued();
    const { runner } = await agentNamed('davit-a');
    await untilRunning('davit-a');

    await ci.limitToOneJob?.(scope, runner.id);
    jenkins.enqueueFreestyle({ name: 'second', label: 'linux' });
    await untilIdle('davit-a');

    expect(await stateOf(job, runner)).toMatchObject({ status: 'completed', conclusion: 'success', runner });
    expect((await queued()).map(({ name }) => name)).toEqual(['second']);
  });

  test('is busy while it runs a job, and stays; then it is removed, however often', async () => {
    jenkins.enqueueFreestyle({ name: 'app', label: 'linux', script: held.script });
    const { runner } = await agentNamed('davit-a');
    await untilRunning('davit-a');

    await ci.stopAssigning(scope, runner.id);
    const busy = await ci.removeIfIdle(scope, runner.id);
    await untilIdle('davit-a');
    const removals = [await ci.removeIfIdle(scope, runner.id), await ci.removeIfIdle(scope, runner.id)];

    expect([busy, ...removals]).toEqual(['busy', 'removed', 'gone']);
    expect(jenkins.state.builds).toMatchObject([{ result: 'SUCCESS' }]);
    await expect(ci.stopAssigning(scope, runner.id)).resolves.toBeUndefined();
  });

  test('is never toggled: whoever else sets it offline or online, davit sets it offline', async () => {
    const { runner } = await agentNamed('davit-a');
    const node = jenkins.state.nodes.get('davit-a');
    const byPerson = { userId: 'alice', message: 'maintenance', atEpochMs: 0 };
    const seen: unknown[] = [];
    for (const cause of [undefined, byPerson, undefined]) {
      if (node !== undefined) jenkins.state.setTemporaryOfflineCause(node, cause);
      await ci.stopAssigning(scope, runner.id);
      seen.push(node?.temporaryOfflineCause?.message);
    }
    await ci.stopAssigning(scope, runner.id);

    expect(seen.every((message) => String(message).startsWith('davit:'))).toBe(true);
    expect(posts(/changeOfflineCause/)).toHaveLength(3);
    expect(posts(/toggleOffline/)).toEqual([]);
  });

  test('that a person brings back online between the look and the removal is not removed', async () => {
    const { runner } = await agentNamed('davit-a');
    jenkins.faults.push({ match: /changeOfflineCause/, status: 302 });

    expect(await ci.removeIfIdle(scope, runner.id)).toBe('busy');
    expect(jenkins.state.nodes.has('davit-a')).toBe(true);
  });
});

describe('a part of a pipeline', () => {
  /** A part that runs on `davit-a`. A node with another label lets Jenkins tell the part's own. */
  async function runningPart(reconnects = false) {
    await agentNamed('davit-z', ['other']);
    jenkins.enqueuePipeline({ name: 'pipe', label: 'linux', script: held.script });
    const job = await theQueued();
    const { runner } = await agentNamed('davit-a', ['linux'], reconnects);
    await untilRunning('davit-a');
    return { job, runner };
  }

  test('is told from a like one, whose node this process has seen', async () => {
    await agentNamed('davit-z', ['other']);
    const item = jenkins.enqueuePipeline({ name: 'pipe', label: 'linux', script: held.script });
    const first = await theQueued();
    await agentNamed('davit-a');
    await untilRunning('davit-a');
    jenkins.state.items.push({ ...item, id: 9, state: 'waiting', inQueueSinceEpochMs: 0 });
    jenkins.state.maintain();
    const second = await theQueued();
    await agentNamed('davit-b');
    await untilRunning('davit-b');

    const states = [await stateOf(first), await stateOf(second)];

    expect(states.map((state) => state?.runner?.name)).toEqual(['davit-a', 'davit-b']);
  });

  test('that another one may have left its node to is found there', async () => {
    const { job, runner } = await runningPart();

    const state = await ci.getJob(job.repository, job.jobId, { ofOthers: new Set([runner.id]) });

    expect(state).toEqual({ attempt: 1, status: 'in_progress', runner });
  });

  test('is followed by the node that runs it, when Jenkins has forgotten its item', async () => {
    const { job, runner } = await runningPart();

    const begun = await stateOf(job);
    jenkins.state.items.length = 0;
    const later = await stateOf(job, runner);
    await untilIdle('davit-a');
    const over = await stateOf(job, runner);

    expect(begun).toEqual({ attempt: 1, status: 'in_progress', runner });
    expect(later).toEqual(begun);
    expect(over).toEqual({ attempt: 1, status: 'completed', runner });
    expect(await stateOf(job)).toBeUndefined();
  });

  test('goes on at its agent after a restart of Jenkins, and is not over meanwhile', async () => {
    const { job, runner } = await runningPart(true);
    await ci.limitToOneJob?.(scope, runner.id);

    await jenkins.restart();
    const during = await stateOf(job, runner);
    await held.release();
    await until('the pipeline is over', 10_000, async () => jenkins.state.builds.at(-1)?.result);

    expect(during).toMatchObject({ status: 'in_progress', runner });
    expect(jenkins.state.builds.at(-1)).toMatchObject({ result: 'SUCCESS' });
  });

  test('that waits for its idle agent after a restart keeps the node from being removed, however late', async () => {
    const { runner } = await runningPart();
    await jenkins.restart();
    const early = await queued();
    nowEpochMs += 3_600_000;

    const removal = await ci.removeIfIdle(scope, runner.id);
    const late = await queued();

    expect([early.length, late.length]).toEqual([0, 1]);
    expect(jenkins.state.nodes.get('davit-a')?.executors).toEqual([undefined]);
    expect(removal).toBe('busy');
    expect(jenkins.state.nodes.has('davit-a')).toBe(true);
  });

  test('keeps no idle node of an older start from being removed by naming it in its label', async () => {
    const { runner } = await agentNamed('davit-a');
    await jenkins.restart();
    await queued();
    nowEpochMs += 3_600_000;
    jenkins.enqueuePipeline({ name: 'pipe', label: '"x \u2018davit-a\u2019"' });

    expect(await ci.removeIfIdle(scope, runner.id)).toBe('removed');
  });

  test('of an older start is over five minutes after the newer one', async () => {
    await agentNamed('davit-z', ['other']);
    const { runner } = await agentNamed('davit-a');
    jenkins.enqueuePipeline({ name: 'pipe', label: 'linux' });
    const { repository, jobId } = (await queued())[0] ?? { repository: { owner: '-', name: 'pipe' }, jobId: 1e7 };
    await untilIdle('davit-a');
    await jenkins.restart();
    jenkins.state.items.length = 0;

    const early = await ci.getJob(repository, jobId, { runner });
    nowEpochMs += 300_000;
    const late = await ci.getJob(repository, jobId, { runner });

    expect([early?.status, late?.status]).toEqual(['in_progress', 'completed']);
  });
});

test('a job that was cancelled in the queue is over', async () => {
  const item = jenkins.enqueueFreestyle({ name: 'app', label: 'linux' });
  const job = await theQueued();
  const before = await stateOf(job);

  jenkins.state.cancel(item);

  expect(before).toEqual({ attempt: 1, status: 'queued' });
  expect(await stateOf(job)).toEqual({ attempt: 1, status: 'completed', conclusion: 'cancelled' });
});

test.each(['Agent/Create', 'Agent/Connect', 'Agent/Disconnect', 'Agent/Delete'] as const)(
  "the check of the permissions names %s in Jenkins' words, and leaves nothing behind when it may",
  async (permission) => {
    await ci.checkRunners?.();
    expect(jenkins.state.nodes.size).toBe(0);

    jenkins.user.permissions.delete(permission);

    await expect(ci.checkRunners?.()).rejects.toMatchObject({
      name: 'TerminalError',
      code: 'CiRefused',
      detail: expect.stringContaining(`davit is missing the ${permission} permission`),
    });
  },
);

test('a wrong token is refused, and the error names the system and the call', async () => {
  await expect(davitIn(jenkins, 'wrong').findRunners(scope, 'davit')).rejects.toMatchObject({
    code: 'CiRefused',
    detail: expect.stringMatching(/^jenkins: GET .*\/computer\/api\/json: 401/),
  });
});

test('a Jenkins that starts is unavailable', async () => {
  await jenkins.restart(async () => {
    await expect(queued()).rejects.toMatchObject({ name: 'TransientError', code: 'CiUnavailable' });
  });
});
