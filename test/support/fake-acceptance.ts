import type { Acceptance } from '../../cli/acceptance/acceptance.ts';
import type { AcceptanceCi, SeenAttempt } from '../../cli/acceptance/acceptance-ci.ts';
import type { WebhookNews } from '../../cli/acceptance/webhook-news.ts';
import type { WebhookSwitch } from '../../cli/acceptance/webhook-switch.ts';
import type { Launch } from '../../cli/view/timeline.ts';

/** Where a fake CI system and its davit differ from sound ones. */
export interface FakeAcceptanceOptions {
  /** Whether the API cancels runs. Without it, a later run of the group does. @default true */
  canCancel?: boolean;
  /** @default false */
  agentsOutliveJobs?: boolean;
  /** Changes what the CI system shows of a job, at the given reading of it. */
  lie?: (attempt: SeenAttempt, reading: number) => SeenAttempt;
  /** Changes davit's launches. */
  changeLaunches?: (launches: Launch[]) => Launch[];
  runnerNames?: () => string[];
  /** @default none */
  webhook?: WebhookSwitch;
  /** @default every one is found within a minute */
  webhookNews?: () => WebhookNews;
  /** Called before each call of the CI system, and before the answer to a commit. It may throw. */
  onCall?: (call: string) => void;
  signal?: AbortSignal;
  /** How long everything may take, in milliseconds. @default 60 s */
  timeoutMs?: number;
}

/** A CI system in memory whose jobs go on with each reading: queued, running, over. */
export interface FakeAcceptance {
  acceptance: Acceptance;
  /** The calls that change something, in order. */
  calls: string[];
  said: string[];
  left: string[];
}

interface FakeJob {
  attempt: SeenAttempt;
  group: string;
  seconds: number;
  readings: number;
}

const startEpochMs = Date.parse('2026-06-01T10:00:00Z');

/** Makes an acceptance of the scenarios on a fake CI system. */
export function fakeAcceptance(options: FakeAcceptanceOptions = {}): FakeAcceptance {
  const { lie = (attempt) => attempt, changeLaunches = (launches) => launches, canCancel = true } = options;
  const jobs: FakeJob[] = [];
  const [calls, said, left]: [string[], string[], string[]] = [[], [], []];
  let nextId = 1;

  function call(name: string): void {
    options.onCall?.(name);
    calls.push(name);
  }
  function queue(batch: string, runId: number, group: string, seconds: number): void {
    const jobId = nextId++;
    const queued = { batch, runId, jobId, attempt: 1, status: 'queued', queuedAtEpochMs: startEpochMs } as const;
    jobs.push({ attempt: queued, group, seconds, readings: 0 });
  }
  function cancelWhere(isMeant: (job: FakeJob) => boolean): void {
    for (const job of jobs.filter((each) => isMeant(each) && each.attempt.status !== 'completed'))
      job.attempt = {
        ...job.attempt,
        status: 'completed',
        conclusion: 'cancelled',
        completedAtEpochMs: startEpochMs + 3000,
      };
  }

  const ci: AcceptanceCi = {
    pauseMs: 1,
    agentsOutliveJobs: options.agentsOutliveJobs ?? false,
    makes: 'make jobs',
    leaves: 'the branch davit-acceptance-1234 stays: delete it',
    readVersion: async () => 'Gitea 1.26.0',
    open: async () => call('create branch'),
    close: async () => call('delete branch'),
    start: async ({ name, group, jobs: count, seconds }) => {
      call(`start ${name}`);
      cancelWhere((job) => job.group === group);
      const runId = nextId++;
      for (let number = 1; number <= count; number += 1) queue(name, runId, group, seconds);
      options.onCall?.(`answer of start ${name}`);
    },
    listAttempts: async (batches) => {
      options.onCall?.('list attempts');
      return jobs
        .filter(({ attempt }) => batches.includes(attempt.batch))
        .map((job) => lie(advance(job), job.readings));
    },
    rerun: async (runId) => {
      call('rerun');
      for (const job of jobs.filter(({ attempt }) => attempt.runId === runId)) {
        const { batch, jobId, attempt } = job.attempt;
        jobs.push({ ...job, attempt: { batch, runId, jobId, attempt: attempt + 1, status: 'queued' }, readings: 0 });
      }
    },
  };
  if (canCancel) {
    ci.cancel = async (batch) => {
      call(`cancel ${batch}`);
      cancelWhere(({ attempt }) => attempt.batch === batch);
    };
  }
  const acceptance: Acceptance = {
    ci,
    labels: ['secret-label'],
    burst: 20,
    launches: async () => changeLaunches(jobs.flatMap(({ attempt }) => launchFor(attempt))),
    runnerNames: async () => options.runnerNames?.() ?? [],
    webhook: options.webhook,
    webhookNews: async () => options.webhookNews?.() ?? { foundWithinMs: 60_000, refused: 0 },
    deletePod: undefined,
    untilMs: performance.now() + (options.timeoutMs ?? 60_000),
    removalMs: 0,
    learnMs: 100,
    signal: options.signal ?? new AbortController().signal,
    say: (text) => said.push(text),
    onLeft: (words) => left.push(words),
  };
  return { acceptance, calls, said, left };
}

/** Goes one step on: each reading shows the next status. A job of minutes does not end by itself. */
function advance(job: FakeJob): SeenAttempt {
  const { attempt, readings, seconds } = job;
  job.readings += 1;
  if (readings === 1 && attempt.status === 'queued') {
    job.attempt = {
      ...attempt,
      status: 'in_progress',
      startedAtEpochMs: startEpochMs + 2000,
      runnerId: 1000 + attempt.jobId * 10 + attempt.attempt,
    };
  }
  if (readings === 2 && attempt.status === 'in_progress' && seconds < 60) {
    job.attempt = { ...attempt, status: 'completed', conclusion: 'success', completedAtEpochMs: startEpochMs + 3000 };
  }
  return job.attempt;
}

/** The launch whose agent ran an attempt. */
function launchFor({ jobId, attempt, startedAtEpochMs }: SeenAttempt): Launch[] {
  if (startedAtEpochMs === undefined) return [];
  const moment = new Date(startedAtEpochMs).toISOString();
  const launchId = `secret-ci-7-${jobId}-${attempt}`;
  return [
    {
      launchId,
      agentName: `davit-${launchId}`,
      status: 'terminated',
      requestedAt: moment,
      job: { jobKey: `secret-ci/7/${jobId}/${attempt}`, startedAt: moment },
      forgottenAt: moment,
    },
  ];
}
