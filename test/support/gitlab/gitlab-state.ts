import { randomBytes } from 'node:crypto';

/** A job of the fake, which one runner may get. */
export interface FakeJob {
  id: number;
  /** The path of its project. */
  project: string;
  pipelineId: number;
  name: string;
  tags: readonly string[];
  script: string;
  status: 'created' | 'pending' | 'running' | 'canceling' | 'success' | 'failed' | 'canceled';
  createdAtEpochMs: number;
  /** When it became pending. */
  queuedAtEpochMs?: number;
  startedAtEpochMs?: number;
  runnerId?: number;
  /** The token with which its runner reports. */
  token: string;
  log: string;
  /** The ids of the runners that got it: one job goes to one. */
  handedTo: number[];
}

/** A runner of the fake. */
export interface FakeRunner {
  id: number;
  token: string;
  type: 'group_type' | 'project_type';
  /** The path of its group or its project. */
  place: string;
  description: string;
  tags: readonly string[];
  paused: boolean;
  maintenanceNote: string | null;
  runUntagged: boolean;
}

/** What a job is made with. */
export type JobToQueue = Pick<FakeJob, 'project' | 'name' | 'tags'> & { script?: string; pipelineId?: number };

const overStatuses: ReadonlySet<FakeJob['status']> = new Set(['success', 'failed', 'canceled']);

/**
 * What a GitLab remembers: its groups, projects, jobs and runners.
 *
 * A runner gets a job as `RegisterJobService` gives one: the oldest pending job of its place whose tags it has all, and
 * that has at least one (app/services/ci/register_job_service.rb, `each_build`).
 */
export class GitlabState {
  readonly groups = new Map<string, number>();
  readonly projects = new Map<string, number>();
  readonly jobs: FakeJob[] = [];
  readonly runners = new Map<number, FakeRunner>();
  /** The runners that were deleted while they ran a job: GitLab leaves such a job running until it times out. */
  readonly deletedBusy: number[] = [];
  /** Called after each change of a job's status: GitLab sends a webhook for each. */
  onChange: (job: FakeJob) => void = () => {};
  readonly #nowEpochMs: () => number;
  #lastId = 4000;

  constructor(nowEpochMs: () => number) {
    this.#nowEpochMs = nowEpochMs;
  }

  /** How long a job has waited for a runner, in seconds (app/models/commit_status.rb, `queued_duration`). */
  queuedSecondsOf({ queuedAtEpochMs, startedAtEpochMs = this.#nowEpochMs() }: FakeJob): number | null {
    return queuedAtEpochMs === undefined ? null : (startedAtEpochMs - queuedAtEpochMs) / 1000;
  }

  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  addGroup(path: string): number {
    const id = this.groups.get(path) ?? this.nextId();
    this.groups.set(path, id);
    return id;
  }

  addProject(path: string): number {
    const id = this.projects.get(path) ?? this.nextId();
    this.projects.set(path, id);
    return id;
  }

  queue({ project, name, tags, script = 'true', pipelineId = this.nextId() }: JobToQueue): FakeJob {
    this.addProject(project);
    const job: FakeJob = {
      id: this.nextId(),
      project,
      pipelineId,
      name,
      tags,
      script,
      status: 'pending',
      createdAtEpochMs: this.#nowEpochMs(),
      queuedAtEpochMs: this.#nowEpochMs(),
      token: `glcbt-${randomBytes(10).toString('hex')}`,
      log: '',
      handedTo: [],
    };
    this.jobs.push(job);
    this.onChange(job);
    return job;
  }

  /** Sets a job's status, and sends its webhook. */
  set(job: FakeJob, status: FakeJob['status']): void {
    if (job.status === status) return;
    job.status = status;
    if (status === 'pending') job.queuedAtEpochMs = this.#nowEpochMs();
    if (status === 'running') job.startedAtEpochMs = this.#nowEpochMs();
    this.onChange(job);
  }

  /**
   * Cancels a job. One that runs is `canceling` until its runner says that it is over (app/models/ci/build.rb,
   * `supports_canceling?`: for runners with the feature `cancel_gracefully`).
   */
  cancel(job: FakeJob): void {
    if (isOver(job)) return;
    this.set(job, job.status === 'running' ? 'canceling' : 'canceled');
  }

  /** Makes a new job of one that is over (app/services/ci/retry_job_service.rb). @returns undefined when it may not */
  retry(job: FakeJob): FakeJob | undefined {
    const isRetried = this.jobs.some((other) => other.pipelineId === job.pipelineId && isLaterNamesake(other, job));
    return isOver(job) && !isRetried ? this.queue(job) : undefined;
  }

  /** Gives a runner a job, without a look whether it is paused. */
  assign(runner: FakeRunner): FakeJob | undefined {
    const job = this.jobs.find((each) => each.status === 'pending' && matches(runner, each));
    if (job === undefined) return undefined;
    job.runnerId = runner.id;
    job.handedTo.push(runner.id);
    this.set(job, 'running');
    return job;
  }

  /** Makes a runner, whether there is one of its name or not. */
  addRunner(runner: Omit<FakeRunner, 'id' | 'token'>): FakeRunner {
    const made = { ...runner, id: this.nextId(), token: `glrt-${randomBytes(10).toString('hex')}` };
    this.runners.set(made.id, made);
    return made;
  }

  jobsOf(runnerId: number): FakeJob[] {
    return this.jobs.filter((job) => job.runnerId === runnerId);
  }
}

/** Says whether a job is over. */
export function isOver({ status }: Pick<FakeJob, 'status'>): boolean {
  return overStatuses.has(status);
}

/** Says whether a project is in a group, or in one of its subgroups. */
export function isInGroup(project: string, group: string): boolean {
  return project.startsWith(`${group}/`);
}

function isLaterNamesake(other: FakeJob, { id, name }: FakeJob): boolean {
  return other.name === name && other.id > id;
}

function matches({ type, place, tags, runUntagged }: FakeRunner, job: FakeJob): boolean {
  const isPlace = type === 'group_type' ? isInGroup(job.project, place) : job.project === place;
  return isPlace && job.tags.every((tag) => tags.includes(tag)) && (runUntagged || job.tags.length > 0);
}
