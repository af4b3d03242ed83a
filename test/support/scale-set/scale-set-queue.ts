import type { GithubJob } from '../../../local/github/github-state.ts';

/** A message as the service sends it, with its statistics: `runnerScaleSetMessageResponse` in types.go. */
export interface Message {
  messageId: number;
  messageType: 'RunnerScaleSetJobMessages';
  /** A list in JSON, in a text. */
  body: string;
}

/** "Responses contain at most 50 messages": README.md, Autoscaling. */
const mostEntries = 50;

/**
 * The queue of one scale set. Its source is GitHub's client, `actions/scaleset` at 6ce0259, where no other is named.
 *
 * - A job is matched to the set by its labels, and assigned while fewer jobs are assigned than the client's last capacity:
 *   README.md, "Job matching" and "Polling".
 * - `totalAssignedJobs` counts the jobs that wait for a runner and those that run: README.md, "Autoscaling".
 * - They are current when the message is sent: README.md, "The `statistics` field is always current".
 * - A message stays until it is deleted, and comes again: README.md, "Message Acknowledgment".
 * - Where `offers` is set, a job is offered first (JobAvailable) and assigned when it is acquired: listener.go,
 *   `acquireAvailableJobs`. github.com assigns without: measured by actions-gateway/github-actions-gateway.
 * - `runnerRequestId` is 0 on github.com: cloudbase/garm#459.
 */
export class ScaleSetQueue {
  readonly messages: Message[] = [];
  /** As the last request for a message had it. */
  capacity = 0;
  /** Whether the service offers jobs before it assigns them. */
  offers = false;
  readonly #pending: GithubJob[] = [];
  readonly #offered = new Map<number, GithubJob>();
  readonly #assigned = new Set<GithubJob>();
  #lastMessageId = 0;

  get assigned(): number {
    return this.#assigned.size;
  }

  /** Sees what happens to a job of the set. */
  see(job: GithubJob, action: 'queued' | 'in_progress' | 'completed'): void {
    if (action === 'queued') this.#pending.push(job);
    else if (action === 'in_progress') this.started(job);
    else this.completed(job, job.conclusion ?? 'success');
    this.assign();
  }

  /** Assigns the jobs that there is capacity for. */
  assign(): void {
    const room = this.capacity - this.#assigned.size - this.#offered.size;
    const jobs = this.#pending.filter(({ status }) => status === 'queued').slice(0, Math.max(0, room));
    for (const job of jobs) this.#pending.splice(this.#pending.indexOf(job), 1);
    if (!this.offers) {
      for (const job of jobs) this.#assigned.add(job);
      this.#send(jobs.map((job) => entryOf(job, 'JobAssigned')));
      return;
    }
    for (const job of jobs) this.#offered.set(job.id, job);
    this.#send(jobs.map((job) => ({ ...entryOf(job, 'JobAvailable'), acquireJobUrl: '', runnerRequestId: job.id })));
  }

  /** A job that was cancelled in the meantime is not acquired. @returns those that are assigned now */
  acquire(ids: readonly number[]): number[] {
    const jobs = ids.flatMap((id) => this.#offered.get(id) ?? []).filter(({ status }) => status === 'queued');
    for (const id of ids) this.#offered.delete(id);
    for (const job of jobs) this.#assigned.add(job);
    this.#send(jobs.map((job) => ({ ...entryOf(job, 'JobAssigned'), runnerRequestId: job.id })));
    return jobs.map(({ id }) => id);
  }

  started(job: GithubJob): void {
    this.#send([entryOf(job, 'JobStarted')]);
  }

  /** @param result `canceled` with a job that is queued: the assignment ended, and GitHub assigns it again. README.md, "Job Reassignment" */
  completed(job: GithubJob, result: string): void {
    const wasKnown = this.#assigned.delete(job);
    if (wasKnown) this.#send([{ ...entryOf(job, 'JobCompleted'), result }]);
    if (wasKnown && job.status === 'queued') this.#pending.push(job);
  }

  /** Sends a message as it is. */
  sendRaw(body: string): void {
    this.#lastMessageId += 1;
    this.messages.push({ messageId: this.#lastMessageId, messageType: 'RunnerScaleSetJobMessages', body });
  }

  #send(entries: readonly object[]): void {
    // What does not fit is lost: README.md, "Large backlogs will be truncated".
    if (entries.length > 0) this.sendRaw(JSON.stringify(entries.slice(0, mostEntries)));
  }
}

/** `JobMessageBase`, and what its kinds add, in types.go. */
function entryOf(job: GithubJob, messageType: string) {
  return {
    messageType,
    runnerRequestId: 0,
    repositoryName: job.repository,
    ownerName: job.owner,
    jobId: `00000000-0000-0000-0000-${`${job.id}`.padStart(12, '0')}`,
    jobDisplayName: job.name,
    workflowRunId: job.runId,
    requestLabels: job.labels,
    ...(job.runnerId === undefined ? { runnerId: 0, runnerName: '' } : {}),
    ...(job.runnerId === undefined ? {} : { runnerId: job.runnerId, runnerName: job.runnerName }),
  };
}
