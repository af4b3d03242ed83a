import { randomUUID } from 'node:crypto';

/**
 * The states of a job that the fake has, of those in Buildkite's documentation.
 *
 * @see https://github.com/buildkite/docs/blob/main/pages/pipelines/configure/defining_steps.md
 */
export type FakeJobState = 'scheduled' | 'reserved' | 'accepted' | 'running' | 'canceling' | 'finished' | 'canceled';

/** A job to queue. */
export interface JobRequest {
  /** The slug of its pipeline. @default app */
  pipeline?: string;
  /** The key of its step. */
  step?: string;
  /** What its step asks of an agent, without the queue. @default nothing */
  rules?: readonly string[];
  /** A shell command. @default true */
  command?: string;
}

/** A job of the fake. */
export interface FakeJob {
  id: string;
  pipeline: string;
  step: string | null;
  rules: readonly string[];
  command: string;
  buildNumber: number;
  scheduledAtEpochMs: number;
  state: FakeJobState;
  startedAtEpochMs?: number;
  /** The stack that has reserved it, and until when. */
  reservation?: { stack: string; untilEpochMs: number };
  /** The names of the agents that acquired it: never more than one. */
  acquiredBy: string[];
  /** What it wrote. */
  log: string;
  exitStatus?: string;
  /** Why the stack ended it. */
  finishedWith?: string;
  /** What the stack has said while it waited. */
  notifications: string[];
}

/** An agent that has registered. */
export interface FakeAgent {
  id: string;
  name: string;
  tags: readonly string[];
  accessToken: string;
  /** The only job that it may acquire, or the last one that it was given. */
  jobId?: string;
  isConnected: boolean;
}

/** A token that registers an agent for one job. */
interface AcquisitionToken {
  jobId: string;
  expiresAtEpochMs: number;
}

/** A Buildkite of one cluster and one queue, in memory. */
export class BuildkiteState {
  readonly #nowEpochMs: () => number;
  readonly jobs = new Map<string, FakeJob>();
  readonly agents = new Map<string, FakeAgent>();
  readonly tokens = new Map<string, AcquisitionToken>();
  readonly stacks = new Set<string>();
  /** The tokens of the cluster, of which any is accepted. */
  readonly clusterTokens = new Set([`bkct_${randomUUID()}`]);
  #builds = 0;

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  enqueue({ pipeline = 'app', step, rules = [], command = 'true' }: JobRequest = {}): FakeJob {
    this.#builds += 1;
    const job: FakeJob = {
      id: randomUUID(),
      pipeline,
      step: step ?? null,
      rules,
      command,
      buildNumber: this.#builds,
      scheduledAtEpochMs: this.#nowEpochMs(),
      state: 'scheduled',
      acquiredBy: [],
      log: '',
      notifications: [],
    };
    this.jobs.set(job.id, job);
    return job;
  }

  /** Cancels a job. An agent that runs it finds that out when it next asks for the job's state. */
  cancel(job: FakeJob): void {
    const { state } = this.settled(job);
    if (state === 'scheduled' || state === 'reserved') job.state = 'canceled';
    else if (state === 'accepted' || state === 'running') job.state = 'canceling';
  }

  /** Puts a job whose reservation has ended back: "the reserved jobs will return to the `scheduled` state". */
  settled(job: FakeJob): FakeJob {
    if (job.state === 'reserved' && (job.reservation?.untilEpochMs ?? 0) <= this.#nowEpochMs()) {
      job.state = 'scheduled';
      delete job.reservation;
    }
    return job;
  }

  inState(...states: readonly FakeJobState[]): FakeJob[] {
    return [...this.jobs.values()].filter((job) => states.includes(this.settled(job).state));
  }

  /** "This API can be repeatedly called to extend the expiration of reservation states." */
  reserve(stack: string, jobId: string, seconds: number): boolean {
    const job = this.jobs.get(jobId);
    const { state, reservation } = job === undefined ? {} : this.settled(job);
    const isOwn = state === 'reserved' && reservation?.stack === stack;
    if (job === undefined || (state !== 'scheduled' && !isOwn)) return false;
    job.state = 'reserved';
    job.reservation = { stack, untilEpochMs: this.#nowEpochMs() + seconds * 1000 };
    return true;
  }

  /** "The token expires earlier if the job reservation expires first." @returns undefined for a job that is not reserved */
  issue(stack: string, jobId: string, seconds: number): (AcquisitionToken & { token: string }) | undefined {
    const job = this.jobs.get(jobId);
    if (job === undefined || this.settled(job).state !== 'reserved' || job.reservation?.stack !== stack)
      return undefined;
    const expiresAtEpochMs = Math.min(this.#nowEpochMs() + seconds * 1000, job.reservation.untilEpochMs);
    const token = `bkjat_${randomUUID()}`;
    this.tokens.set(token, { jobId, expiresAtEpochMs });
    return { jobId, expiresAtEpochMs, token };
  }

  /** A token of the cluster registers an agent for any job. @returns undefined for a token that registers nobody */
  register(token: string, { name, tags }: Pick<FakeAgent, 'name' | 'tags'>): FakeAgent | undefined {
    const issued = this.tokens.get(token);
    const isIssued = issued !== undefined && issued.expiresAtEpochMs > this.#nowEpochMs();
    if (!isIssued && !this.clusterTokens.has(token)) return undefined;
    const of = issued === undefined ? {} : { jobId: issued.jobId };
    const agent = { id: randomUUID(), name, tags, accessToken: `bkaj_${randomUUID()}`, isConnected: false, ...of };
    this.agents.set(agent.accessToken, agent);
    return agent;
  }

  /** Gives an agent that is for any job the oldest one whose rules its tags meet. */
  assign(agent: FakeAgent): FakeJob | undefined {
    const job = this.inState('scheduled').find(({ rules }) => rules.every((rule) => agent.tags.includes(rule)));
    if (job !== undefined) agent.jobId = job.id;
    return job;
  }

  /** @returns undefined when the agent cannot have the job, which the API answers with 422 */
  acquire({ name, jobId }: FakeAgent, wantedId: string): FakeJob | undefined {
    const job = this.jobs.get(wantedId);
    if (job === undefined || wantedId !== jobId) return undefined;
    if (this.settled(job).state !== 'scheduled' && job.state !== 'reserved') return undefined;
    job.state = 'accepted';
    job.acquiredBy.push(name);
    return job;
  }

  /** @returns whether the agent has the job, and had not begun it */
  start(job: FakeJob): boolean {
    if (job.state !== 'accepted') return false;
    job.state = 'running';
    job.startedAtEpochMs = this.#nowEpochMs();
    return true;
  }

  /** @returns whether the agent's end of the job counts */
  finish(job: FakeJob, exitStatus: string): boolean {
    if (!['accepted', 'running', 'canceling'].includes(job.state)) return false;
    job.state = job.state === 'canceling' ? 'canceled' : 'finished';
    job.exitStatus = exitStatus;
    return true;
  }

  /** Ends a job for its stack. @returns whether it did */
  finishByStack(jobId: string, detail: string): boolean {
    const job = this.jobs.get(jobId);
    if (job === undefined || !['scheduled', 'reserved'].includes(this.settled(job).state)) return false;
    job.state = 'finished';
    job.exitStatus = '-1';
    job.finishedWith = detail;
    return true;
  }
}
