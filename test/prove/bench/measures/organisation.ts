import { setTimeout as sleep } from 'node:timers/promises';
import { agentNameOf, ciLaunchId } from '../../../../core/launch/names.ts';
import { runnerNameOf } from '../../../../core/launch/runner-names.ts';
import { reconcile } from '../../../../functions/reconcile/reconcile.ts';
import { type ReconcileDeps, reconcileTotalMs } from '../../../../functions/reconcile/reconcile-deps.ts';
import type { ReconcileReport } from '../../../../functions/reconcile/reconcile-report.ts';
import { answerRegisteredJob } from '../../../../functions/webhook/answer-job.ts';
import type { GithubJob } from '../../../../local/github/github-state.ts';
import { type LocalGithub, startGithub } from '../../../../local/github/start-github.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteRoundMemory } from '../../../../local/store/sqlite-ci-memory.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import { joinedPlanOf } from '../../../contract/launch-fixtures.ts';
import {
  makeLaunchDeps,
  type TestLaunchDeps,
  testInstallationId,
  testPace,
} from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { openGithubApp, seenGithubJob, githubByApp as system } from '../../../support/organisation.ts';
import { contenders, type LocalMeasure } from '../bench.ts';
import { atMost, type Figure } from '../figure.ts';
import type { Size } from '../size.ts';
import { summarise } from '../statistics.ts';

const minuteMs = 60_000;
const aheadRounds = 5;
const hourMs = 3_600_000;
/** A GitHub App's own limit in an organization of this size. */
const requestsAnHour = 15_000;
const latencyMs = 150;
/** One request of so many fails. */
const failsOneIn = 1000;
/** One webhook of so many does not arrive. */
const losesOneIn = 100;
/** The jobs of each run. */
const run: Parameters<LocalGithub['state']['queueRun']>[2] = [{ name: 'build', labels: ['linux'], steps: [] }];
const profile = makeProfile({ runner: 'github', scope: 'organization', labels: ['linux'], idleSeconds: 3600 });

/** Reconciling with an organization: its repositories, running jobs, and a GitHub that is slow, limited, and fails. */
export const organisation: LocalMeasure = {
  takeLocally: async ({ size, say }) => {
    const world = await startWorld(size.organisation);
    await using resources = new AsyncDisposableStack();
    resources.defer(() => world.github.stop());
    const took: number[] = [];
    const used: number[] = [];
    const reports: ReconcileReport[] = [];
    for (let round = 1; round <= size.organisation.rounds; round += 1) {
      const beganEpochMs = world.nowEpochMs();
      const before = world.ci.usage();
      world.queueJobs();
      reports.push(await reconcile(world.deps));
      const after = world.ci.usage();
      took.push(world.nowEpochMs() - beganEpochMs);
      used.push(after.requests - before.requests);
      say(`organisation: round ${round}: ${took.at(-1)} ms, ${used.at(-1)} requests that count: ${world.takeAsked()}`);
      world.skipTo(beganEpochMs + minuteMs);
      await world.redeliver();
    }
    return figuresOf(size.organisation, world, reports, { took, used });
  },
};

interface World {
  github: LocalGithub;
  ci: CiSystem;
  deps: ReconcileDeps;
  nowEpochMs: () => number;
  /** Says how many requests of each kind were answered since the last call, those that do not count too. */
  takeAsked: () => string;
  /** Lets the clock jump to a moment. */
  skipTo: (epochMs: number) => void;
  /** Queues a minute's jobs. One webhook of a hundred is lost. */
  queueJobs: () => void;
  /** Delivers the webhooks that davit has asked for. */
  redeliver: () => Promise<void>;
  /** How long after each lost job was queued its agent was requested, in milliseconds. */
  foundAfterMs: number[];
  lost: () => number;
}

function figuresOf(
  { repositories, running, rounds }: Size['organisation'],
  world: World,
  reports: readonly ReconcileReport[],
  { took, used }: { took: readonly number[]; used: readonly number[] },
): Figure[] {
  const of = `${repositories} repositories, ${running} running jobs, ${latencyMs} ms an answer, 0.1 % of them errors`;
  // The first rounds use some requests ahead of time.
  const steady = used.slice(Math.min(aheadRounds, rounds - 1));
  const anHour = Math.round((steady.reduce((one, other) => one + other, 0) / steady.length) * 60);
  const asked = new Set(['WebhookRedelivered', 'LaunchRequested']);
  const wrong = reports.flatMap(({ repairs }) => repairs).filter(({ repair }) => !asked.has(repair));
  const found = world.foundAfterMs;
  return [
    {
      name: 'organisation: a round',
      unit: 'ms',
      contenders: [{ name: contenders.davit, value: summarise(took).p50, samples: took.length }],
      goal: atMost(Math.max(...took), 25_000, 'measurement', ' ms'),
      note: `${of}. The goal is of the slowest of ${rounds} rounds`,
    },
    {
      name: 'organisation: requests an hour that count, without registrations',
      unit: '',
      contenders: [{ name: contenders.davit, value: anHour }],
      goal: atMost(anHour, 3000, 'measurement'),
      note: `a quarter of ${requestsAnHour} is reconciling's share. Without the first ${aheadRounds} rounds, which use some ahead of time`,
    },
    {
      name: 'organisation: a lost queued event → its agent is requested, p50',
      unit: 's',
      contenders: [
        { name: contenders.davit, value: found.length === 0 ? 0 : summarise(found).p50 / 1000, samples: found.length },
      ],
      goal: atMost(found.length === 0 ? Infinity : summarise(found).p99 / 1000, 240, 'measurement', ' s'),
      note: `${world.lost()} of the lost ones were not found yet when it ended. The goal is of the p99`,
    },
    {
      name: 'organisation: repairs that nothing asked for',
      unit: '',
      contenders: [{ name: contenders.davit, value: wrong.length }],
      goal: atMost(wrong.length, 0, 'count'),
    },
  ];
}

async function startWorld(size: Size['organisation']): Promise<World> {
  let aheadMs = 0;
  const nowEpochMs = () => Date.now() + aheadMs;
  const github = await startGithub({
    organizations: ['acme'],
    limits: { requestsAnHour, nowEpochMs },
    onFailure: (error) => console.error(error),
  });
  let answers = 0;
  const counts = new Map<string, number>();
  github.beforeAnswer = async (method, path) => {
    const kind = kindOf(method, path);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    answers += 1;
    github.failWith = answers % failsOneIn === 0 ? { status: 502, message: 'Bad Gateway' } : undefined;
    await sleep(latencyMs);
  };
  const ci = openGithubApp(github.url);
  const all = makeLaunchDeps({ profiles: [profile], ciSystems: [system], nowEpochMs });
  const store = openStore(':memory:');
  const deps: ReconcileDeps = {
    ...all,
    ciSystemOf: () => ci,
    ...sqliteRoundMemory(store),
    pace: testPace([system], nowEpochMs),
    sleep: async (ms) => sleep(ms),
    totalMs: reconcileTotalMs,
  };
  await fill(size, github, all, nowEpochMs());
  const open = new Map<string, { job: GithubJob; queuedAtEpochMs: number }>();
  const foundAfterMs: number[] = [];
  let number = 0;

  const list = (guid: string, hasSucceeded: boolean, action: 'queued' | 'in_progress' | 'completed' = 'queued') =>
    void github.deliveries.push({
      id: github.state.nextId(),
      guid,
      statusCode: hasSucceeded ? 202 : 502,
      action,
      isRedelivery: false,
      deliveredAtEpochMs: nowEpochMs(),
    });
  const asked: string[] = [];
  const started: GithubJob[] = [];
  /** Ends the jobs whose agents were requested in the last minute: they have run. */
  const endStarted = async () => {
    for (const job of started.splice(0)) {
      finish(job);
      const seen = seenGithubJob(github.state, job, { status: 'completed' });
      await answerRegisteredJob(all, system, seen);
      const over = { outcome: 'terminated', code: 'Terminated', message: 'its job is over', by: 'bench' } as const;
      await all.launches.end(ciLaunchId(seen), { ...over, atEpochMs: nowEpochMs() });
    }
  };
  github.onRedeliver = async ({ guid }) => void asked.push(guid);
  return {
    github,
    ci,
    deps,
    nowEpochMs,
    foundAfterMs,
    lost: () => open.size,
    takeAsked: () => {
      const words = [...counts].map(([kind, count]) => `${count} ${kind}`);
      counts.clear();
      return words.join(', ');
    },
    skipTo: (epochMs) => {
      aheadMs += Math.max(0, epochMs - nowEpochMs());
    },
    queueJobs: () => {
      for (let count = 0; count < size.queuedAMinute; count += 1) {
        number += 1;
        const [job] = github.state.queueRun('acme', `app-${number % size.repositories}`, run);
        const isLost = number % losesOneIn === 0;
        // The jobs of the last minute: on average half a minute old.
        if (isLost) open.set(`delivery-${number}`, { job, queuedAtEpochMs: nowEpochMs() - Math.random() * minuteMs });
        // The others run at once, on other runners.
        if (!isLost) finish(job);
        list(`delivery-${number}`, !isLost);
        if (!isLost)
          for (const action of ['in_progress', 'completed'] as const) list(`${action}-${number}`, true, action);
      }
    },
    redeliver: async () => {
      await endStarted();
      for (const guid of asked.splice(0)) {
        const lost = open.get(guid);
        if (lost === undefined) continue;
        await answerRegisteredJob(all, system, seenGithubJob(github.state, lost.job, { status: 'queued' }));
        started.push(lost.job);
        list(guid, true);
        foundAfterMs.push(nowEpochMs() - minuteMs - lost.queuedAtEpochMs);
        open.delete(guid);
      }
    },
  };
}

/** Fills an organization: each repository has had a run, and some jobs run on agents. */
async function fill(
  { repositories, running }: Size['organisation'],
  github: LocalGithub,
  { jobs, launches }: TestLaunchDeps,
  nowEpochMs: number,
): Promise<void> {
  for (let index = 0; index < repositories; index += 1) {
    const [job] = github.state.queueRun('acme', `app-${index}`, run);
    finish(job);
    const place = { repository: { owner: 'acme', name: `app-${index}` }, organization: 'acme' };
    await jobs.noteRepository('github', place, nowEpochMs);
  }
  for (let index = 0; index < running; index += 1) {
    const name = `app-${index % repositories}`;
    const [job] = github.state.queueRun('acme', name, run);
    const seen = seenGithubJob(github.state, job, { status: 'in_progress' });
    const launchId = ciLaunchId(seen);
    const runnerName = runnerNameOf(testInstallationId, agentNameOf(launchId));
    const runner = github.state.register({ name: runnerName, labels: ['linux'], groupId: 1, scope: 'acme' });
    if (runner === undefined) throw new Error(`there is a runner ${runnerName}`);
    Object.assign(job, { status: 'in_progress', runnerId: runner.id, runnerName });
    runner.busy = true;
    // Their ages differ: some have run for longer than usual.
    const sinceEpochMs = nowEpochMs - (index / running) * 2 * hourMs;
    const ofJob = { id: runner.id, name: runnerName };
    await jobs.note({ ...seen, runner: ofJob }, nowEpochMs);
    const jobKey = `github/${seen.repositoryId}/${job.id}/1`;
    const join = { ciSystem: 'github', scope: { organization: 'acme' }, labels: ['linux'], idleSeconds: 3600 };
    await launches.request({
      launchId,
      status: 'connected',
      plan: joinedPlanOf(launchId, { join, jobKey }),
      requestedAtEpochMs: sinceEpochMs,
      connectedAtEpochMs: sinceEpochMs,
      runner: ofJob,
      runs: { jobKey, job: { name: 'build', attempt: 1 }, sinceEpochMs },
      expiresAtEpochSeconds: Math.ceil(nowEpochMs / 1000) + 86_400,
    });
  }
}

/** Names a request without the ids and names in it. */
function kindOf(method: string, path: string): string {
  const words = path.replace(/^\/repos\/[^/]+\/[^/]+/, '').replace(/^\/orgs\/[^/]+/, '');
  return `${method} ${words.replaceAll(/\/\d+/g, '/ID')}`;
}

function finish(job: GithubJob): void {
  Object.assign(job, { status: 'completed', conclusion: 'success' });
}
