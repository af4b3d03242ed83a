import { summarise } from '../bench/statistics.ts';

/** A request of a job. */
export interface Requested {
  job: string;
  atEpochMs: number;
}

/** What an agent itself said. An agent is a Pod, by its uid. */
export interface Said {
  /** `started`: its container runs. `begins`, `ends`: its job. */
  event: 'started' | 'begins' | 'ends';
  uid: string;
  /** Absent for `started`. */
  job?: string | undefined;
  atEpochMs: number;
}

/** A Pod, as a watch saw it. */
export interface SeenPod {
  uid: string;
  name: string;
  seenEpochMs: number;
  goneEpochMs?: number;
}

/**
 * What became of a job: `completed`: an agent said its end. `lost`: it began, and no agent said its end. `stuck`: it never
 * began.
 */
export type Verdict = 'completed' | 'lost' | 'stuck';

/** A judged job. */
export interface JudgedJob {
  job: string;
  verdict: Verdict;
  /** How many agents began it. */
  begun: number;
  /** How many agents said its end. */
  ended: number;
  /** The life of the first agent that began it, in milliseconds. Absent for a job that never began. */
  took?: Took;
}

/** The lengths of the sections of a launch, in milliseconds. */
export interface Took {
  requestToPod: number;
  podToRunning: number;
  runningToConnected: number;
  requestToConnected: number;
}

/** A median and a 99th percentile. */
export interface Quantiles {
  p50: number;
  p99: number;
}

/** The counts of many jobs. */
export interface Counts {
  jobs: number;
  completed: number;
  lost: number;
  stuck: number;
  /** Jobs that were run to their end more than once. */
  runTwice: number;
  /** Jobs that began more than once, because their first agent was taken. */
  begunAgain: number;
  /** In milliseconds; absent if no job began. */
  took?: Record<keyof Took, Quantiles>;
}

/** Judges each requested job by what its agents said and the watch saw. */
export function judgeJobs(
  requested: readonly Requested[],
  said: readonly Said[],
  pods: readonly SeenPod[],
): JudgedJob[] {
  const ofJob = Map.groupBy(said, ({ job }) => job);
  const podOf = new Map(pods.map((pod) => [pod.uid, pod]));
  const startedOf = new Map<string, number>();
  for (const { event, uid, atEpochMs } of said) if (event === 'started') startedOf.set(uid, atEpochMs);
  return requested.map(({ job, atEpochMs }) => {
    const events = ofJob.get(job) ?? [];
    const begins = events.filter(({ event }) => event === 'begins').toSorted(byTime);
    const begun = agentsIn(begins);
    const ended = agentsIn(events.filter(({ event }) => event === 'ends'));
    const verdict = ended > 0 ? 'completed' : begun > 0 ? 'lost' : 'stuck';
    const [first] = begins;
    if (first === undefined) return { job, verdict, begun, ended };
    // While the API server is frozen, the watch sees a Pod later than the Pod speaks.
    const started = startedOf.get(first.uid) ?? first.atEpochMs;
    const seen = Math.min(podOf.get(first.uid)?.seenEpochMs ?? started, started);
    const took = {
      requestToPod: seen - atEpochMs,
      podToRunning: started - seen,
      runningToConnected: first.atEpochMs - started,
      requestToConnected: first.atEpochMs - atEpochMs,
    };
    return { job, verdict, begun, ended, took };
  });
}

/** Counts judged jobs. */
export function countJobs(jobs: readonly JudgedJob[]): Counts {
  const of = (which: (job: JudgedJob) => boolean) => jobs.filter(which).length;
  const took = jobs.flatMap((job) => job.took ?? []);
  const quantilesOf = (section: keyof Took): Quantiles => {
    const { p50, p99 } = summarise(took.map((each) => each[section]));
    return { p50: Math.round(p50), p99: Math.round(p99) };
  };
  return {
    jobs: jobs.length,
    completed: of(({ verdict }) => verdict === 'completed'),
    lost: of(({ verdict }) => verdict === 'lost'),
    stuck: of(({ verdict }) => verdict === 'stuck'),
    runTwice: of(({ ended }) => ended > 1),
    begunAgain: of(({ begun }) => begun > 1),
    ...(took.length === 0
      ? {}
      : {
          took: {
            requestToPod: quantilesOf('requestToPod'),
            podToRunning: quantilesOf('podToRunning'),
            runningToConnected: quantilesOf('runningToConnected'),
            requestToConnected: quantilesOf('requestToConnected'),
          },
        }),
  };
}

/** Splits a number of jobs into waves of at most this size, as equal as can be. */
export function wavesOf(jobs: number, atOnce: number): number[] {
  const waves = Math.ceil(jobs / atOnce);
  return Array.from({ length: waves }, (_, index) => Math.floor((jobs + index) / waves));
}

function byTime(one: Said, other: Said): number {
  return one.atEpochMs - other.atEpochMs;
}

function agentsIn(said: readonly Said[]): number {
  return new Set(said.map(({ uid }) => uid)).size;
}
