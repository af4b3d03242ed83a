import type { SeenJob } from '../../../core/job/job-record.ts';
import { present } from '../../../core/present.ts';
import type { GithubJob, GithubRunner } from '../../../local/github/github-state.ts';
import { type LocalGithub, startGithub } from '../../../local/github/start-github.ts';
import type { Random } from '../../../simulation/world/random.ts';
import { seenGithubJob } from '../../support/organisation.ts';
import type { Faults } from './faults.ts';
import type { VirtualTime } from './virtual-time.ts';

export const organization = 'acme';

/** A GitHub App's own limit in an organization of this size. */
const requestsAnHour = 15_000;

/** How long a request takes, in milliseconds: 150 ms, of which several are made at once. */
const requestMs = 30;

/** How long GitHub still shows a job that is over, and a delivery that has arrived, in milliseconds. */
const keptMs = 45 * 60_000;

/** A GitHub with a queue, in virtual time: runners that connect get the oldest job, and webhooks may be lost. */
export class OrganisationGithub {
  /** How long each job waited for its runner, in milliseconds, and whether the webhook that it is queued was lost. */
  readonly waits: { ms: number; isLost: boolean }[] = [];
  /** How many webhooks were lost, those too that arrived at a later attempt. */
  lostWebhooks = 0;
  readonly #idle = new Map<number, GithubRunner>();
  /** The contents of the webhooks that did not arrive at once. GitHub delivers one again whenever it is asked. */
  readonly #lost = new Map<string, SeenJob>();
  readonly #lostQueued = new Set<number>();
  readonly #overAt = new Map<number, number>();
  readonly #github: LocalGithub;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #faults: Faults;
  readonly #receive: (seen: SeenJob) => Promise<void>;

  private constructor(
    github: LocalGithub,
    { time, random, faults }: Surroundings,
    receive: (seen: SeenJob) => Promise<void>,
  ) {
    this.#github = github;
    this.#time = time;
    this.#random = random;
    this.#faults = faults;
    this.#receive = receive;
  }

  /** @param receive handles a webhook that arrives */
  static async start(around: Surroundings, receive: (seen: SeenJob) => Promise<void>): Promise<OrganisationGithub> {
    const { time, faults } = around;
    const github = await startGithub({
      organizations: [organization],
      limits: { requestsAnHour, nowEpochMs: time.nowEpochMs },
      onJob: (job, action) => made.#send(job, action),
      onFailure: (error) => console.error(error),
    });
    const made = new OrganisationGithub(github, around, receive);
    github.beforeAnswer = async () => {
      time.spend(requestMs);
      github.failWith = faults.failsRequest() ? { status: 502, message: 'Bad Gateway' } : undefined;
    };
    github.onRedeliver = async ({ guid }) => {
      const seen = made.#lost.get(guid);
      if (seen !== undefined) time.after(2000, () => made.#deliver(guid, seen, true));
    };
    return made;
  }

  get url(): string {
    return this.#github.url;
  }

  get state(): LocalGithub['state'] {
    return this.#github.state;
  }

  stop(): Promise<void> {
    return this.#github.stop();
  }

  queue(repository: string): void {
    const [job] = this.state.queueRun(organization, repository, [{ name: 'build', labels: ['linux'], steps: [] }]);
    job.queuedAtEpochMs = this.#time.nowEpochMs();
    this.#handOut();
  }

  /** A runner asks for jobs. */
  connect(runner: GithubRunner): void {
    this.#idle.set(runner.id, runner);
    this.#handOut();
  }

  /** A runner's process ends. @returns the job that it ran, which has failed */
  kill(runner: GithubRunner): GithubJob | undefined {
    this.#idle.delete(runner.id);
    const job = this.state.jobs.find(({ runnerId, status }) => runnerId === runner.id && status === 'in_progress');
    if (job !== undefined) this.state.complete(runner, false);
    return job;
  }

  /** The jobs that are not over. */
  open(): GithubJob[] {
    return this.state.jobs.filter(({ status }) => status !== 'completed');
  }

  /** Forgets what is long over. */
  forget(): void {
    const sinceEpochMs = this.#time.nowEpochMs() - keptMs;
    const kept = this.state.jobs.filter(({ id }) => (this.#overAt.get(id) ?? Infinity) > sinceEpochMs);
    this.state.jobs.splice(0, Infinity, ...kept);
    for (const [id, at] of this.#overAt) if (at <= sinceEpochMs) this.#overAt.delete(id);
    const { deliveries } = this.#github;
    const listed = deliveries.filter(
      ({ guid, deliveredAtEpochMs }) => deliveredAtEpochMs > sinceEpochMs || this.#lost.has(guid),
    );
    deliveries.splice(0, Infinity, ...listed);
  }

  #handOut(): void {
    for (const [id, runner] of this.#idle) {
      if (!this.state.runners.has(id)) this.#idle.delete(id);
      else if (this.#begin(runner) === undefined) return;
    }
  }

  #begin(runner: GithubRunner): GithubJob | undefined {
    const job = this.state.assign(runner);
    if (job === undefined) return undefined;
    this.#idle.delete(runner.id);
    this.waits.push({ ms: this.#time.nowEpochMs() - job.queuedAtEpochMs, isLost: this.#lostQueued.delete(job.id) });
    this.#time.after(durationMs(this.#random), async () => {
      if (!this.state.runners.has(runner.id)) return;
      this.state.complete(runner, true);
      this.onEnd?.(runner);
    });
    return job;
  }

  /** A runner has run its job, and is forgotten. */
  onEnd: ((runner: GithubRunner) => void) | undefined;

  #send(job: GithubJob, action: SeenJob['status']): void {
    const guid = `${job.id}/${action}`;
    const seen = this.#seenOf(job, action);
    if (action === 'completed') this.#overAt.set(job.id, this.#time.nowEpochMs());
    this.#time.after(1000, () => this.#deliver(guid, seen, false));
  }

  async #deliver(guid: string, seen: SeenJob, isRedelivery: boolean): Promise<void> {
    const isLost = this.#faults.losesWebhook();
    this.#github.deliveries.push({
      id: this.state.nextId(),
      guid,
      statusCode: isLost ? 502 : 202,
      action: seen.status,
      isRedelivery,
      deliveredAtEpochMs: this.#time.nowEpochMs(),
    });
    if (!isLost) return this.#receive(seen);
    if (!isRedelivery) this.lostWebhooks += 1;
    if (seen.status === 'queued') this.#lostQueued.add(Number(seen.jobId));
    this.#lost.set(guid, seen);
  }

  #seenOf(job: GithubJob, status: SeenJob['status']): SeenJob {
    const { runnerId, runnerName, conclusion } = job;
    const queuedAtEpochMs = status === 'queued' ? this.#time.nowEpochMs() : undefined;
    const runner = runnerId === undefined ? undefined : { id: runnerId, name: runnerName ?? '' };
    return seenGithubJob(this.state, job, { status, ...present({ queuedAtEpochMs, runner, conclusion }) });
  }
}

/** What an organization's GitHub is made of. */
export interface Surroundings {
  time: VirtualTime;
  random: Random;
  faults: Faults;
}

/** How long a job runs: 13 minutes on average, and one in a hundred for more than an hour. */
function durationMs(random: Random): number {
  const minutes = random.chance(0.01) ? random.between(60, 110) : -12.4 * Math.log(1 - random.between(0, 0.999));
  return Math.min(110, Math.max(0.3, minutes)) * 60_000;
}
