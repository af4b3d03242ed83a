import { everyOwner } from '../../core/ci/ci-scope.ts';
import { CiSystemConfig, type RunnerProvider } from '../../core/ci/ci-system-config.ts';
import type { DeliveryAttempt } from '../../core/ci/failing-delivery.ts';
import type { SeenJob } from '../../core/job/job-record.ts';
import { agentNameOf, ciLaunchId } from '../../core/launch/names.ts';
import { runnerNameOf } from '../../core/launch/runner-names.ts';
import { present } from '../../core/present.ts';
import { type CiSurroundings, installationId } from './ci-port.ts';
import { CiServer, type CiServerJob, ciRepository, type Rerunnable, runIdOf } from './ci-server.ts';
import type { Core } from './core.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { Gateway } from './gateway.ts';
import { dialled, joining, mostCpu } from './profiles.ts';
import type { Random } from './random.ts';

/** The pause between two polls, in seconds. */
const pollSeconds = 10;

/** The entries of the CI system with a queue in davit.yaml, by its kind. */
export const queueSystems = {
  github: {
    name: 'hub',
    provider: 'github',
    url: 'https://github.com',
    webhookSecret: 'hub-webhooks',
    tokenSecret: 'hub-token',
  },
  gitea: {
    name: 'tea',
    provider: 'gitea',
    url: 'https://gitea.example',
    webhookSecret: 'tea-webhooks',
    tokenSecret: 'tea-token',
  },
  jenkins: polledSystem('jen', { provider: 'jenkins', url: 'https://jenkins.example', user: 'davit' }),
  gitlab: polledSystem('lab', { provider: 'gitlab', group: 'acme' }),
  forgejo: polledSystem('forge', { provider: 'forgejo', url: 'https://forgejo.example', scope: 'admin' }),
  buildkite: polledSystem('kite', { provider: 'buildkite', organization: 'acme' }),
} as const satisfies Record<RunnerProvider, CiSystemConfig>;

function polledSystem(name: string, entry: Record<string, unknown>): CiSystemConfig {
  const secrets = { webhookSecret: `${name}-webhooks`, tokenSecret: `${name}-token` };
  return CiSystemConfig.parse({ name, ...secrets, pollSeconds, ...entry });
}

/** Another CI system, whose ids and names are the same as the queue's. */
const otherCiSystem = { ...queueSystems.gitea, name: 'otherci' };

const strangersRepository = { id: 666, owner: ciRepository.owner, name: 'strangers' };
const strangersFirstId = 999_990;

/** The first id of a queue's jobs, so that people can tell them from other jobs. */
const firstJobId = 101;
const firstJobJustThen = 200;
/** The first id of jobs that run again, where such a job is another one. */
const firstJobAgain = 401;
const mostJustThen = 3;
/** When the webhooks of a runner arrive that wait for its removal: the first one soon after that, the others later. */
const arrivesJustThenMs = 300;
const arrivesLaterMs = 30_000;
/** When they arrive at the latest. */
const arrivesAtLastMs = 300_000;
/** The spans in which jobs are queued: close together, or while agents of earlier ones are about to be retired. */
const windowsMs = [60_000, 150_000, 600_000];

interface Delivery {
  guid: string;
  event: SeenJob;
  job: string;
}

/** The properties of a queue that the seed decides. */
interface QueueKind {
  provider: RunnerProvider;
  sizes: Random | undefined;
}

/** Names a pool by its profile and the labels of its size. */
export function poolName(profile: string, sizeLabels: readonly string[]): string {
  return [profile, ...sizeLabels].join(' ');
}

/** How many cores a job asks for by its labels. @returns 0 for a job that asks for none */
export function cpuAsked(labels: readonly string[]): number {
  return Number(labels.find(isSize)?.replace('davit/cpu=', '') ?? 0);
}

/** Says whether a label of a job asks for a size. */
export function isSize(label: string): boolean {
  return label.startsWith('davit/');
}

/** How long a long job runs: longer than an agent must have run a job before davit ends it without an event. */
const longWorkMs = [240_000, 900_000] as const;

/** How long a CI system may hand out no job: long enough for several agents in a row to be retired as idle. */
const assignsNothingMs = [1_560_000, 3_600_000] as const;

/** How long a CI system waits for the answer to a webhook, in milliseconds, as GitHub does. */
const unansweredMs = 10_000;

/** How far the clock of a CI system may be off. */
const clockOffMs = [90_000, 600_000] as const;

/** A CI system with a queue: its jobs, their outcomes, and its webhooks. */
export class CiQueue implements CiSurroundings {
  readonly server: CiServer;
  readonly system: CiSystemConfig;
  readonly #core: Core;
  readonly #random: Random;
  readonly #gateway: Gateway;
  /** Chooses the sizes of jobs; undefined in a world without sizes. */
  readonly #sizes: Random | undefined;
  readonly #deliveries: Delivery[] = [];
  /** The deliveries that wait until davit removes the runner of their job, by its id. */
  readonly #held = new Map<number, Delivery[]>();
  /** The attempts to deliver, in the order of their ends. */
  readonly #attempts: DeliveryAttempt[] = [];
  #planned = 0;
  #justThen = 0;
  #again = 0;

  constructor(core: Core, random: Random, gateway: Gateway, { provider, sizes }: QueueKind) {
    this.#core = core;
    this.#random = random;
    this.#gateway = gateway;
    this.#sizes = sizes;
    this.system = queueSystems[provider];
    this.server = new CiServer(core, random, { name: this.system.name, provider }, (job) => this.#tell(job));
    if (core.faults.hits('ciClockOff', undefined)) {
      this.server.clockAheadMs = core.random.pick([-1, 1]) * core.random.whole(...clockOffMs);
    }
  }

  /** Whether jobs are queued, running or still to come, or agents' runners are registered. */
  get isAtWork(): boolean {
    const { jobs, runners } = this.server;
    return (
      this.#planned > 0 ||
      jobs.some(({ status }) => status !== 'completed') ||
      runners.some(({ launchId }) => launchId !== undefined)
    );
  }

  /** Whether the CI system hands out no job for long. */
  get assignsNothing(): boolean {
    return this.server.assignsFromEpochMs > 0;
  }

  /** The organization whose runners take its jobs. */
  get organization(): string {
    return this.server.kind.tells === 'jobs' ? ciRepository.owner : everyOwner;
  }

  /** Queues jobs, with all of their faults. */
  plan(jobs: number): void {
    const { faults, scheduler, random } = this.#core;
    if (jobs > 0 && faults.hits('ciAssignsNothing', undefined)) {
      this.server.assignsFromEpochMs = scheduler.nowEpochMs() + random.between(...assignsNothingMs);
    }
    const windowMs = this.#random.pick(windowsMs);
    for (let number = 0; number < jobs; number += 1) {
      const id = firstJobId + number;
      this.server.planned.add(id);
      this.#queueLater({ id, attempt: 1 }, this.#random.between(0, windowMs));
    }
  }

  deliveries(): DeliveryAttempt[] {
    if (!this.server.kind.keepsFailedDeliveries) return [];
    return this.#attempts.toReversed().toSorted((one, other) => other.atEpochMs - one.atEpochMs);
  }

  redeliver(id: string): void {
    const guid = this.#attempts.find((attempt) => attempt.id === id)?.guid;
    const delivery = this.#deliveries.find((each) => each.guid === guid);
    if (delivery !== undefined) this.#send(delivery);
  }

  rerun(runId: number, { asked, again }: Rerunnable): boolean {
    const latest = this.server.latestOf(runId);
    if (!this.server.isOver(runId)) return false;
    const runAttempt = Math.max(...latest.map(({ attempt }) => attempt));
    for (const { id, attempt, labels } of again) {
      const next = 1 + (this.server.provider === 'github' ? runAttempt : attempt);
      if (asked.some((job) => job.id === id)) this.#core.history.add({ kind: 'rerunAsked', id, latest: attempt });
      this.#queueLater({ id, attempt: next }, 0, { labels: [...labels] });
    }
    return true;
  }

  retiring(runnerId: number): void {
    const launchId = this.server.runners.find(({ id }) => id === runnerId)?.launchId;
    if (launchId === undefined || this.#justThen === mostJustThen || !this.#hits('jobJustThen', launchId)) return;
    this.#justThen += 1;
    this.#queueLater({ id: firstJobJustThen + this.#justThen, attempt: 1 }, 0, {
      labels: ['small'],
      firstAsker: runnerId,
    });
  }

  removing(runnerId: number): void {
    this.#sendHeld(runnerId, arrivesJustThenMs);
  }

  #sendHeld(runnerId: number, firstWithinMs: number): void {
    const { random, scheduler } = this.#core;
    for (const [index, delivery] of (this.#held.get(runnerId) ?? []).entries()) {
      scheduler.after(random.between(0, index === 0 ? firstWithinMs : arrivesLaterMs), () => this.#send(delivery));
    }
    this.#held.delete(runnerId);
  }

  /** Holds back a job's webhooks from its hand-out on, if this fault hits. @returns whether it does */
  #holds(delivery: Delivery): boolean {
    const { runner, status } = delivery.event;
    if (runner === undefined) return false;
    const isFirst = status === 'in_progress' && this.#hits('ciEventJustThen', delivery.job);
    if (isFirst) this.#core.scheduler.after(arrivesAtLastMs, () => this.#sendHeld(runner.id, arrivesLaterMs));
    const held = isFirst ? [] : this.#held.get(runner.id);
    if (held === undefined) return false;
    this.#held.set(runner.id, [...held, delivery]);
    return true;
  }

  #queueLater(
    { id, attempt }: Pick<CiServerJob, 'id' | 'attempt'>,
    delayMs: number,
    given: { labels?: string[]; firstAsker?: number } = {},
  ): void {
    const labels = given.labels ?? [...(this.#random.chance(0.6) ? ['small'] : ['big']), ...this.#sizeLabels()];
    const workMs = this.#random.pick([500, 20_000, 120_000]) * this.#random.between(0.5, 1.5);
    this.#planned += 1;
    this.#core.scheduler.after(delayMs, () => {
      this.#planned -= 1;
      this.server.planned.delete(id);
      const name = this.server.nameOf({ id, attempt });
      const isLong = this.#hits('ciJobLong', name);
      const job = { id, attempt, labels, workMs: isLong ? this.#core.random.between(...longWorkMs) : workMs };
      this.#core.history.add({ kind: 'jobQueued', job: name, pool: this.#poolOf(labels) });
      this.server.queue(job, given.firstAsker);
      if (this.#hits('foreignRunner', name)) this.server.addForeigner(`other-${id}-${attempt}`, ['small', 'big']);
      if (cpuAsked(labels) > mostCpu) this.#giveUpLater(job);
      this.#meddle(job, name);
    });
  }

  /** Half of the jobs ask for a size, and one in ten of those for more than there is. */
  #sizeLabels(): string[] {
    if (!this.#sizes?.chance(0.5)) return [];
    return [`davit/cpu=${this.#sizes.chance(0.1) ? mostCpu * 2 : this.#sizes.pick([1, 2, mostCpu])}`];
  }

  #poolOf(labels: readonly string[]): string {
    const [sizes, others] = [labels.filter(isSize), labels.filter((label) => !isSize(label))];
    const taker = joining.find((each) => each.runner === this.server.provider && isIn(others, each.labels));
    return taker === undefined || cpuAsked(labels) > mostCpu ? '' : poolName(taker.name, sizes);
  }

  /** Cancels, as people would, a job that no agent ever runs. */
  #giveUpLater(job: Pick<CiServerJob, 'id' | 'attempt'>): void {
    this.#core.scheduler.after(this.#random.between(120_000, 600_000), () => this.server.cancel(job));
  }

  /** The actions of people on a job: they cancel it, or delete the launch that davit requested for it. */
  #meddle(job: Pick<CiServerJob, 'id' | 'attempt'>, name: string): void {
    const { scheduler } = this.#core;
    const soon = () => this.#random.between(0, this.#random.pick([300, 20_000, 200_000]));
    if (this.#hits('ciJobCancelled', name)) scheduler.after(soon(), () => this.server.cancel(job));
    if (this.#hits('deletedByPeople', name)) scheduler.after(soon(), () => this.#gateway.deleteLaunch(name));
  }

  #tell(job: CiServerJob): void {
    const { id, attempt, status } = job;
    const { tells, renewsIds } = this.server.kind;
    if (tells !== 'nothing') this.#deliver(this.#eventOf(job), this.server.nameOf(job));
    const isAgain = attempt > 1 || id >= firstJobAgain;
    if (status !== 'completed' || isAgain || !this.#hits('ciJobRerun', this.server.nameOf(job))) return;
    this.#planned += 1;
    this.#core.scheduler.after(this.#random.between(100, 60_000), () => {
      this.#planned -= 1;
      if (renewsIds) {
        this.#again += 1;
        return this.#queueLater({ id: firstJobAgain + this.#again, attempt: 1 }, 0);
      }
      const isLatest = this.server.latestOf(runIdOf(id)).some((each) => each.id === id && each.attempt === attempt);
      if (isLatest) this.#queueLater({ id, attempt: attempt + 1 }, 0);
    });
  }

  #eventOf({ id: jobId, attempt, labels, status, runner, conclusion, queuedAtEpochMs }: CiServerJob): SeenJob {
    const { id: repositoryId, ...repository } = ciRepository;
    // Gitea does not send when a further attempt was queued.
    const isQueuedTold = this.system.provider === 'github' || attempt === 1;
    return {
      ciSystem: this.system.name,
      repositoryId,
      jobId,
      attempt,
      status,
      repository,
      organization: this.organization,
      name: `job ${jobId}`,
      runId: runIdOf(jobId),
      labels: [...labels],
      ...present({ runner, conclusion, queuedAtEpochMs: isQueuedTold ? queuedAtEpochMs : undefined }),
    };
  }

  #deliver(event: SeenJob, job: string): void {
    const delivery: Delivery = { guid: `delivery-${this.#deliveries.length + 1}`, event, job };
    this.#deliveries.push(delivery);
    const { scheduler } = this.#core;
    if (this.#holds(delivery)) return;
    const isLate = this.#hits('ciEventLate', job);
    const delayMs = isLate
      ? this.#random.between(1000, this.#random.pick([30_000, 300_000]))
      : this.#random.between(20, 400);
    scheduler.after(delayMs, () => this.#send(delivery));
    if (this.#hits('ciEventTwice', job)) scheduler.after(this.#random.between(0, 120_000), () => this.#send(delivery));
  }

  #send(delivery: Delivery): void {
    const { event, job } = delivery;
    if (this.server.kind.tells === 'ids') return this.#sendId(event, job);
    if (event.runner !== undefined && this.#hits('otherCiEvent', job)) {
      this.#gateway.jobWebhook(otherCiSystem, { ...event, ciSystem: otherCiSystem.name }, job, () => undefined);
    }
    if (event.runner !== undefined && this.#hits('strangersRunner', job)) this.#sendStrangers(event, job);
    const { scheduler } = this.#core;
    const beganAtEpochMs = scheduler.nowEpochMs();
    if (this.#hits('ciEventLost', job)) {
      scheduler.after(unansweredMs, () => this.#list(delivery, false, beganAtEpochMs));
      return;
    }
    this.#gateway.jobWebhook(this.system, event, job, (statusCode) =>
      this.#list(delivery, statusCode < 300, beganAtEpochMs),
    );
  }

  /** Sends a webhook that names the job, and no more. */
  #sendId({ jobId }: SeenJob, job: string): void {
    if (this.#hits('ciEventLost', job)) return;
    this.#gateway.namedJob(this.system, { repositoryId: ciRepository.id, jobId: Number(jobId) }, job);
  }

  #list({ guid }: Delivery, hasSucceeded: boolean, atEpochMs: number): void {
    const id = `${this.#attempts.length + 1}`;
    this.#attempts.push({ id, guid, event: 'workflow_job', hasSucceeded, atEpochMs });
  }

  /** A job of an unregistered profile completes in another repository, on runners with the names of a job's agent. */
  #sendStrangers(event: SeenJob, job: string): void {
    const agentName = agentNameOf(job);
    for (const [index, name] of [agentName, runnerNameOf(installationId, agentName)].entries()) {
      const id = strangersFirstId + index;
      const { id: repositoryId, ...repository } = strangersRepository;
      const strangers: SeenJob = {
        ...event,
        repositoryId,
        repository,
        jobId: id,
        status: 'completed',
        labels: [...dialled.labels],
        runner: { id, name },
        conclusion: 'success',
      };
      const launchId = ciLaunchId(strangers);
      this.#core.history.add({ kind: 'sent', launchId, door: 'completed', ranBy: name });
      this.#gateway.jobWebhook(this.system, strangers, launchId, () => undefined);
    }
  }

  #hits(kind: FaultKind, job: string): boolean {
    return this.#core.faults.hits(kind, job);
  }
}

function isIn(wanted: readonly string[], offered: readonly string[]): boolean {
  return wanted.every((label) => offered.includes(label));
}
