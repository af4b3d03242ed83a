import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GithubJob, GithubState } from '../../../../local/github/github-state.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../../../local/github/github-webhooks.ts';
import { startGithub } from '../../../../local/github/start-github.ts';
import { newJob } from '../../../e2e/jobs.ts';
import { troubleIn } from '../../../support/burst-trouble.ts';
import { contenders, type LocalMeasure } from '../bench.ts';
import { type ActingGithub, BareReady, DavitReady, SandboxReady } from '../burst/messages.ts';
import { type Burst, type Sent, sendBurst, senders } from '../burst/send.ts';
import { type BurstProgram, startProgram } from '../burst/start-program.ts';
import { atLeast, atMost, type Figure, p99Of } from '../figure.ts';

const slowestGoalMs = 3000;
const bareName = 'the bare writes: one to the disk for each request';
const throttledName = "davit's handlers on emulated AWS, throttled in the middle";
const acting = { owner: 'acme', name: 'app' };
/** Less than the most jobs of a matrix on GitHub. */
const jobsOfRun = 50;

/** The rate of accepted webhooks in a burst. */
export const burst: LocalMeasure = {
  takeLocally: async ({ size, say }) => {
    const directory = await mkdtemp(join(tmpdir(), 'davit-burst-'));
    await using resources = new AsyncDisposableStack();
    resources.defer(() => rm(directory, { recursive: true, force: true }));
    const bare = await writeBare(join(directory, 'bare'), size.burst);
    const plain = await sendWebhooks(join(directory, 'plain'), size.burst);
    const throttled = await sendThrottled(join(directory, 'throttled'), size.burst);
    for (const { name, accepted, refused } of [bare, plain, throttled]) {
      say(`burst: ${name}: ${accepted} accepted, ${refused} refused`);
    }
    return [...figuresOf(size.burst, [bare, plain]), ...figuresOfThrottled(size.burst, throttled)];
  },
};

function figuresOf(count: number, bursts: readonly [bare: Burst, davit: Burst]): Figure[] {
  return [
    {
      name: 'burst: webhooks accepted a second',
      unit: '/s',
      contenders: bursts.map((each) => ({ name: each.name, value: ratePerSecond(each) })),
      goal: atLeast(ratePerSecond(bursts[1]), 600, 'measurement', ' /s'),
      note: `of ${count}, ${senders} under way at once; ${bursts.map(({ name, refused }) => `${name}: ${refused} refused`).join('; ')}`,
    },
    {
      name: 'burst: p99 of an answer',
      unit: 'ms',
      contenders: bursts.map(({ name, answersMs }) => p99Of(name, answersMs)),
      ...goalOfSlowest(bursts[1]),
    },
    {
      name: 'burst: until the last that was accepted is launched',
      unit: 'ms',
      contenders: [{ name: bursts[1].name, value: bursts[1].launchedMs }],
      goal: atMost((bursts[1].launchedMs / count) * 2000, 10_000, 'measurement', ' ms'),
      note: 'its token is published, in the sandbox, which has a processor of two; the goal is for 2,000',
    },
  ];
}

function figuresOfThrottled(count: number, davit: Burst): Figure[] {
  const { name, accepted, refused, launchedMs, foundMs } = davit;
  return [
    {
      name: 'throttled burst: p99 of an answer',
      unit: 'ms',
      contenders: [p99Of(name, davit.answersMs)],
      ...goalOfSlowest(davit),
    },
    {
      name: 'throttled burst: until all are on their way',
      unit: 'ms',
      contenders: [
        { name: `${name}: the last of ${accepted} that were accepted is launched`, value: launchedMs },
        { name: `${name}: the last of ${refused} that were refused is found`, value: foundMs },
      ],
      note:
        `of ${count}; in the middle, AWS throttles StartExecution, DynamoDB's writes, Lambda, and Step Functions with ` +
        'create-pod, each for a sixth of the answers. Reconciling comes once a minute, and acts when two rounds agree',
    },
  ];
}

function ratePerSecond({ accepted, sentMs }: Burst): number {
  return (accepted / sentMs) * 1000;
}

function goalOfSlowest({ answersMs }: Burst): Pick<Figure, 'goal' | 'note'> {
  const slowestMs = Math.max(...answersMs);
  return {
    goal: atMost(slowestMs, slowestGoalMs, 'measurement', ' ms'),
    note: `the goal is of davit's slowest answer: ${Math.round(slowestMs)} ms. GitHub gives up after 10 s`,
  };
}

async function sendWebhooks(directory: string, count: number): Promise<Burst> {
  await using davit = await startDavit(directory, { kind: 'local' });
  const { url, webhookSecret } = DavitReady.parse(davit.program.ready);
  const github = createGithubWebhooks(`${url}/webhooks/github`, webhookSecret);
  return await sendBurst(davit.program, {
    name: contenders.davit,
    count,
    request: () => deliverJob(github),
  });
}

/** Each job is queued as its webhook is sent. */
async function sendThrottled(directory: string, count: number): Promise<Burst> {
  await using resources = new AsyncDisposableStack();
  const onFailure = (error: unknown) => console.error(error);
  const github = await startGithub({ organizations: [acting.owner], onFailure });
  resources.defer(() => github.stop());
  const { program } = resources.use(
    await startDavit(directory, { kind: 'aws', github: { url: github.url, token: github.token } }),
  );
  const { url, webhookSecret } = DavitReady.parse(program.ready);
  const hook = createGithubWebhooks(`${url}/webhooks/github`, webhookSecret);
  const repository = { ...acting, id: github.state.repositoryIdOf(acting.owner, acting.name) };
  const queued = queueRuns(github.state);
  return await sendBurst(program, {
    name: throttledName,
    count,
    isReconciled: true,
    onAnswered: (answered) => program.tell({ throttled: troubleIn(count, answered) }),
    request: async () => {
      const { id, labels, runId, queuedAtEpochMs } = queued.next().value;
      const fields = { run_id: runId, created_at: new Date(queuedAtEpochMs).toISOString() };
      const { status } = await hook.deliver({ id, labels, repository, fields }, 'queued');
      return { isAccepted: status < 300, name: `github-${repository.id}-${id}-1` };
    },
  });
}

function* queueRuns(github: GithubState): Generator<GithubJob, never> {
  const jobs = Array.from({ length: jobsOfRun }, (_, index) => ({
    name: `job ${index}`,
    labels: ['burst'],
    steps: ['true'],
  }));
  for (;;) yield* github.queueRun(acting.owner, acting.name, jobs);
}

type DavitKind = { kind: 'local' } | { kind: 'aws'; github: ActingGithub };

/** Starts a sandbox, and a davit in front of it. */
async function startDavit(directory: string, kind: DavitKind): Promise<AsyncDisposable & { program: BurstProgram }> {
  await using started = new AsyncDisposableStack();
  const sandbox = started.use(await startProgram({ kind: 'sandbox', directory: join(directory, 'sandbox') }));
  const { kubeconfig } = SandboxReady.parse(sandbox.ready);
  const program = started.use(await startProgram({ ...kind, directory: join(directory, 'davit'), kubeconfig }));
  const running = started.move();
  return { program, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function deliverJob(github: GithubWebhooks): Promise<Sent> {
  const job = newJob();
  const { status } = await github.deliver(job, 'queued');
  return { isAccepted: status < 300, name: job.launchId };
}

async function writeBare(directory: string, count: number): Promise<Burst> {
  await using server = await startProgram({ kind: 'bare', directory });
  const { url } = BareReady.parse(server.ready);
  const github = createGithubWebhooks(url, 'any');
  return await sendBurst(server, {
    name: bareName,
    count,
    isLaunched: false,
    request: () => deliverJob(github),
  });
}
