import type { InvokedEvents } from '../../../core/invoked-events.ts';
import { liveStatuses } from '../../../core/launch/launch-record.ts';
import { reconcile } from '../../../functions/reconcile/reconcile.ts';
import { type ReconcileDeps, reconcileTotalMs } from '../../../functions/reconcile/reconcile-deps.ts';
import type { RetireRunnerDeps } from '../../../functions/retire-runner/retire-runner.ts';
import { answerRegisteredJob } from '../../../functions/webhook/answer-job.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { sqliteRoundMemory } from '../../../local/store/sqlite-ci-memory.ts';
import { sqliteLaunches } from '../../../local/store/sqlite-launches.ts';
import type { JobDeps } from '../../../logic/jobs/job-deps.ts';
import { registrationsIn } from '../../../logic/records/registrations-in.ts';
import type { CiSystem } from '../../../ports/ci-system.ts';
import type { InvokeLater } from '../../../ports/invoke-later.ts';
import { Random, seedOf } from '../../../simulation/world/random.ts';
import { makeLaunchDeps, testPace } from '../../support/make-launch-deps.ts';
import { makeProfile } from '../../support/make-profile.ts';
import { openGithubApp, githubByApp as system } from '../../support/organisation.ts';
import { Agents } from './agents.ts';
import { Faults } from './faults.ts';
import { OrganisationGithub, organization, type Surroundings } from './github-of-organisation.ts';
import { VirtualTime } from './virtual-time.ts';

const minuteMs = 60_000;

/** At the busiest hour: with jobs of 13 minutes, 2,000 run at once. */
const mostJobsAMinute = 150;

/** How long everything may go on after the last job was queued, and the last fault: the longest job, and half an hour. */
const settleMinutes = 150;

const profile = makeProfile({ runner: 'github', scope: 'organization', labels: ['linux'], idleSeconds: 300 });

/** The size of a run. */
export interface OrganisationRun {
  hours: number;
  repositories: number;
  seed: number;
  /** Receives a line for each hour. */
  say: (line: string) => void;
}

/** What a run has shown. */
export interface OrganisationOutcome {
  jobs: number;
  mostAtOnce: number;
  lostWebhooks: number;
  waits: OrganisationGithub['waits'];
  requestsAnHour: number;
  /** The repairs of reconciling, counted by their names. */
  repairs: ReadonlyMap<string, number>;
  /** When everything was over, in minutes after the last job was queued; undefined if it never was. */
  settledAfterMinutes: number | undefined;
  /** What must not be. */
  stuck: string[];
  killed: string[];
  runnersLeft: string[];
  launchesLeft: string[];
}

/** Runs davit for an organization, in virtual time: webhooks, reconciling and retiring are davit's own. */
export async function runOrganisation(run: OrganisationRun): Promise<OrganisationOutcome> {
  const time = new VirtualTime(Date.parse('2026-11-25T09:00:00Z'));
  // The adapter of GitHub reads the process's clock, for its pauses and its tokens: this proof has a process of its own.
  Date.now = time.nowEpochMs;
  const random = new Random(seedOf(run.seed, 'jobs'));
  const around = { time, random, faults: new Faults(time, new Random(seedOf(run.seed, 'faults'))) };
  const github = await OrganisationGithub.start(around, async (seen) => {
    await answerRegisteredJob(davit.deps, system, seen);
  });
  await using resources = new AsyncDisposableStack();
  resources.defer(() => github.stop());
  const davit = await startDavit(around, github);
  for (let index = 0; index < run.repositories; index += 1) {
    const known = { repository: { owner: organization, name: `app-${index}` }, organization };
    await davit.deps.jobs.noteRepository(system.name, known, time.nowEpochMs());
  }
  const repairs = new Map<string, number>();
  let [jobs, mostAtOnce] = [0, 0];
  const beganEpochMs = time.nowEpochMs();

  /** Lets a minute pass, and reconciles at its end. */
  const passMinute = async (minute: number) => {
    await time.runUntil(beganEpochMs + (minute + 1) * minuteMs);
    github.forget();
    const report = await reconcile(davit.deps);
    for (const { repair } of report.repairs) repairs.set(repair, (repairs.get(repair) ?? 0) + 1);
    const running = github.open().filter(({ status }) => status === 'in_progress').length;
    mostAtOnce = Math.max(mostAtOnce, running);
    return { running, errors: report.errors.length };
  };

  const minutes = run.hours * 60;
  for (let minute = 0; minute < minutes; minute += 1) {
    const count = Math.round(mostJobsAMinute * rhythm(time.nowEpochMs()));
    for (let index = 0; index < count; index += 1) {
      const repository = `app-${random.whole(0, run.repositories - 1)}`;
      time.after(random.between(0, minuteMs), async () => github.queue(repository));
    }
    jobs += count;
    const { running, errors } = await passMinute(minute);
    if (minute % 10 === 9) {
      const { requests } = davit.ci.usage();
      run.say(`${minute + 1} min: ${jobs} jobs, ${running} run, ${requests} requests, ${errors} errors in a round`);
    }
  }
  const { requests } = davit.ci.usage();
  around.faults.end();
  let settledAfterMinutes: number | undefined;
  for (let minute = 0; minute < settleMinutes && settledAfterMinutes === undefined; minute += 1) {
    await passMinute(minutes + minute);
    const isOver = github.open().length === 0 && github.state.runners.size === 0;
    if (isOver && (await liveLaunches(davit.deps)).length === 0) settledAfterMinutes = minute + 1;
  }
  return {
    jobs,
    mostAtOnce,
    lostWebhooks: github.lostWebhooks,
    waits: github.waits,
    requestsAnHour: Math.round(requests / run.hours),
    repairs,
    settledAfterMinutes,
    stuck: github.open().map(({ id, status }) => `job ${id}: ${status}`),
    killed: davit.agents.killed,
    runnersLeft: [...github.state.runners.values()].map(({ name }) => name),
    launchesLeft: await liveLaunches(davit.deps),
  };
}

/** How busy an hour is, from 0.2 at night to 1 from 9 to 17 o'clock. */
function rhythm(epochMs: number): number {
  const hour = new Date(epochMs).getUTCHours();
  if (hour >= 9 && hour < 17) return 1;
  return hour >= 7 && hour < 20 ? 0.6 : 0.2;
}

type Davit = ReconcileDeps & JobDeps & RetireRunnerDeps;

async function startDavit(
  around: Surroundings,
  github: OrganisationGithub,
): Promise<{ deps: Davit; agents: Agents; ci: CiSystem }> {
  const ci = openGithubApp(github.url);
  const store = openStore(':memory:');
  const launches = sqliteLaunches(store);
  const request = launches.request.bind(launches);
  launches.request = async (record) => {
    const answer = await request(record);
    if (answer.created) agents.requested(record.launchId);
    return answer;
  };
  const registrations = registrationsIn(launches.records);
  const agents = new Agents(around, github, { launches, registrations }, () => deps);
  const invokeLater: InvokeLater<keyof InvokedEvents> = async (functionName, event) => {
    if (functionName === 'clean-up') agents.cleanUp(event.launchId);
    if (functionName === 'retire-runner') agents.retire(event);
  };
  const deps: Davit = {
    ...makeLaunchDeps({ profiles: [profile], ciSystems: [system], nowEpochMs: around.time.nowEpochMs }),
    launches,
    registrations,
    ciSystemOf: () => ci,
    invokeLater,
    ...sqliteRoundMemory(store),
    pace: testPace([system], around.time.nowEpochMs),
    sleep: async (ms) => around.time.spend(ms),
    totalMs: reconcileTotalMs,
  };
  return { deps, agents, ci };
}

async function liveLaunches({ launches }: Pick<ReconcileDeps, 'launches'>): Promise<string[]> {
  const page = await launches.list({ statuses: [...liveStatuses, 'cleaning'], limit: 1000 });
  return (page?.launches ?? []).map(({ launchId }) => launchId);
}
