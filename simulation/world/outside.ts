import type { Profile } from '../../core/config/config.ts';
import type { JobStatus, SeenJob } from '../../core/job/job-record.ts';
import { agentNameOf, apiLaunchId, ciLaunchId } from '../../core/launch/names.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import type { Core } from './core.ts';
import type { SimulatedExecutions } from './executions.ts';
import type { FaultKind } from './fault-kinds.ts';
import { ciSystem, type Gateway } from './gateway.ts';
import type { SimulatedNamespace } from './namespace.ts';
import { dialled, dialledOutside, dialOut } from './profiles.ts';
import { secretOfJobs, signingSecrets } from './secrets.ts';
import type { SimulatedSecretsManager } from './secrets-manager.ts';

/** The parts of a world that the outside can reach. */
export interface Doors {
  gateway: Gateway;
  /** The cluster and namespace of a profile's launches. */
  placeOf: (launchId: string, profile: Profile) => SimulatedNamespace;
  executions: SimulatedExecutions;
  secretsManager: SimulatedSecretsManager;
  sweep: () => void;
}

const repository = { id: 1, owner: 'acme', name: 'app' };
const strangersJobId = 999_999;
const windowMs = 60_000;

/** The waiting time that docs/deploy.md asks for. */
const githubWaitsMs = 20_000;

/** CI servers that request agents, and people who interfere: each job of a run, and its outcome. */
export class Outside {
  readonly #core: Core;
  readonly #doors: Doors;
  #githubSecret: string;

  constructor(core: Core, doors: Doors) {
    this.#core = core;
    this.#doors = doors;
    this.#githubSecret = doors.secretsManager.current(signingSecrets.webhooks).text;
  }

  /** Requests a job's agent, with all of the job's faults. */
  plan(jobId: number): void {
    if (jobId % 4 === 0) this.#planPosted(jobId);
    else this.#planWebhooks(jobId);
  }

  /** Runs sweeps as on their schedule, for the lifetime of agents. */
  planSweeps(): void {
    if (!this.#hits('sweepEveryMinute', undefined)) return;
    for (let minute = 1; minute <= 60; minute += 1) this.#core.scheduler.after(minute * 60_000, this.#doors.sweep);
  }

  /** Redelivers a job's webhooks weeks later, and deletes its launch. */
  returnLater(jobId: number): void {
    const launchId = ciLaunchId(eventOf('queued', jobId, profileOf(jobId)));
    if (jobId % 4 === 0) return this.#doors.gateway.deleteLaunch(apiLaunchId(`job ${jobId}`));
    const { scheduler, random } = this.#core;
    if (random.chance(0.7))
      this.#deliver(eventOf('queued', jobId, profileOf(jobId)), launchId, this.#core.random.between(0, 5000));
    if (random.chance(0.4))
      this.#deliver(eventOf('completed', jobId, profileOf(jobId)), launchId, this.#core.random.between(0, 9000));
    if (random.chance(0.3))
      scheduler.after(this.#core.random.between(0, 9000), () => this.#doors.gateway.deleteLaunch(launchId));
  }

  /** Rotates secrets while jobs are under way, as docs/deploy.md says: GitHub gets its secret afterwards. */
  planRotations(): void {
    const { secretsManager } = this.#doors;
    const { scheduler } = this.#core;
    if (this.#hits('keyRotated', undefined)) {
      scheduler.after(this.#core.random.between(0, windowMs), () => secretsManager.rotate(signingSecrets.credentials));
    }
    if (!this.#hits('webhookSecretRotated', undefined)) return;
    const rotatedMs = this.#core.random.between(0, windowMs);
    scheduler.after(rotatedMs, () => secretsManager.rotate(signingSecrets.webhooks));
    scheduler.after(rotatedMs + this.#core.random.between(githubWaitsMs, 3 * githubWaitsMs), () => {
      this.#githubSecret = secretsManager.current(signingSecrets.webhooks).text;
    });
  }

  #planWebhooks(jobId: number): void {
    const launchId = ciLaunchId(eventOf('queued', jobId, profileOf(jobId)));
    const profile = profileOf(jobId);
    const askedMs = this.#core.random.between(0, windowMs);
    this.#prepare(launchId, profile, askedMs);
    const lateMs = this.#hits('webhookLate', launchId) ? this.#core.random.between(10_000, 200_000) : 0;
    const queuedMs = askedMs + lateMs;
    const deliver = (status: JobStatus, atMs: number) => this.#deliver(eventOf(status, jobId, profile), launchId, atMs);
    deliver('queued', queuedMs);
    if (this.#hits('webhookReordered', launchId)) {
      return deliver('completed', Math.max(0, queuedMs - this.#core.random.between(1, 3000)));
    }
    if (this.#hits('jobCancelled', launchId)) {
      return deliver('completed', queuedMs + this.#core.random.between(0, this.#core.random.pick([300, 3000, 90_000])));
    }
    if (this.#hits('webhookLost', launchId)) return;
    const runner = this.#hits('ranElsewhere', launchId) ? agentNameOf(`${launchId}0`) : agentNameOf(launchId);
    const atMs = queuedMs + longerThanAnyLaunchMs + this.#core.random.between(0, 60_000);
    this.#deliver(ranBy(eventOf('completed', jobId, profile), runner), launchId, atMs);
  }

  #planPosted(jobId: number): void {
    const launchId = apiLaunchId(`job ${jobId}`);
    const atMs = this.#core.random.between(0, windowMs);
    this.#prepare(launchId, dialled, atMs);
    const env = { JOB_SECRET: secretOfJobs };
    const post = () => {
      this.#core.history.add({ kind: 'sent', launchId, door: 'queued' });
      this.#doors.gateway.postLaunch({ profile: 'dialled', jobId: `job ${jobId}`, env }, launchId, (statusCode) => {
        this.#core.history.add({ kind: 'asked', launchId, door: 'queued', statusCode });
        if (statusCode >= 500) this.#core.later(1000, 10_000, post);
      });
    };
    this.#core.scheduler.after(atMs, post);
  }

  #prepare(launchId: string, profile: Profile, atMs: number): void {
    const { scheduler } = this.#core;
    if (this.#hits('strangersRunner', launchId)) {
      const event = ranBy(eventOf('completed', strangersJobId, profile), agentNameOf(launchId));
      const strangers = { ...event, repositoryId: 666, repository: { owner: 'stranger', name: 'app' } };
      this.#deliver(strangers, ciLaunchId(strangers), atMs + this.#core.random.between(0, longerThanAnyLaunchMs));
    }
    const place = this.#doors.placeOf(launchId, profile);
    const soon = () => atMs + this.#core.random.between(0, this.#core.random.pick([300, 3000, 90_000]));
    if (this.#hits('nameTaken', launchId))
      scheduler.after(0, () => place.createService(foreign(launchId, profile), 'others'));
    if (this.#hits('deletedByPeople', launchId))
      scheduler.after(soon(), () => this.#doors.gateway.deleteLaunch(launchId));
    if (this.#hits('deletedTwice', launchId)) {
      const bothMs = soon();
      for (const each of [1, 2]) scheduler.after(bothMs + each, () => this.#doors.gateway.deleteLaunch(launchId));
    }
    if (this.#hits('stoppedByPeople', launchId)) {
      scheduler.after(soon(), () => {
        this.#core.history.add({ kind: 'stoppedByHand', launchId });
        this.#doors.executions.stop(launchId, 'Stopped', 'by hand');
      });
    }
    if (this.#hits('deletedByOthers', launchId)) scheduler.after(soon(), () => this.#deleteObject(place, launchId));
    if (this.#hits('replacedByOthers', launchId))
      scheduler.after(soon(), () => this.#replaceObject(place, foreign(launchId, profile)));
    if (this.#hits('sweepAnyMoment', undefined)) scheduler.after(soon(), this.#doors.sweep);
    if (this.#hits('sweepTwice', undefined)) {
      const bothMs = soon();
      for (const each of [1, 2]) scheduler.after(bothMs + each, this.#doors.sweep);
    }
  }

  #deliver(event: SeenJob, launchId: string, atMs: number): void {
    const door = event.status === 'queued' ? 'queued' : 'completed';
    const send = () => {
      this.#core.history.add({ kind: 'sent', launchId, door, ranBy: event.runner?.name });
      this.#doors.gateway.webhook(event, this.#githubSecret, launchId, (statusCode) => {
        this.#core.history.add({ kind: 'asked', launchId, door, statusCode });
        // GitHub does not deliver again by itself: a person does, or a script.
        if (statusCode >= 500) this.#core.later(1000, 60_000, send);
      });
    };
    this.#core.scheduler.after(atMs, send);
    if (this.#hits('webhookForged', launchId)) {
      this.#core.later(0, 2 * windowMs, () => this.#forge(event, launchId));
    }
    if (this.#hits('webhookTwice', launchId)) {
      this.#core.scheduler.after(atMs + this.#core.random.between(0, this.#core.random.pick([5, 1000, 400_000])), send);
    }
  }

  #forge(event: SeenJob, launchId: string): void {
    this.#doors.gateway.webhook(event, 'a secret of their own', launchId, (statusCode) => {
      this.#core.history.add({ kind: 'asked', launchId, door: 'forged', statusCode });
    });
  }

  #deleteObject(place: SimulatedNamespace, launchId: string): void {
    const name = agentNameOf(launchId);
    const propagation = this.#core.random.pick(['foreground', 'background'] as const);
    if (this.#core.random.chance(0.5)) place.deleteService(name, 'others', true, propagation);
    else place.deletePod(name, 'others', true);
  }

  /** A foreign controller takes the name: at once, or as soon as davit's Pod is gone. */
  #replaceObject(place: SimulatedNamespace, foreigner: Manifest): void {
    const { name } = foreigner.metadata;
    const pod = place.pods.get(name);
    if (pod === undefined) return;
    const replace = () => {
      if (place.pods.get(name) === undefined) place.createPod({ ...foreigner, kind: 'Pod' }, 'others');
    };
    if (this.#core.random.chance(0.5)) place.pods.watch(name, () => this.#core.scheduler.after(1, replace));
    else place.removePod(name, pod.metadata.uid);
    replace();
  }

  #hits(kind: FaultKind, launchId: string | undefined): boolean {
    return this.#core.faults.hits(kind, launchId);
  }
}

/** When a job completes at the earliest, in milliseconds: its agent has connected by then, or never will. */
const longerThanAnyLaunchMs = 1_800_000;

function profileOf(jobId: number): Profile {
  if (jobId % 3 === 0) return dialOut;
  return jobId % 5 === 0 ? dialledOutside : dialled;
}

function eventOf(status: JobStatus, jobId: number, { labels }: Profile): SeenJob {
  const { id: repositoryId, ...name } = repository;
  const job = { jobId, attempt: 1, name: `job ${jobId}`, labels: [...labels], conclusion: 'success' };
  return { ciSystem: ciSystem.name, repositoryId, status, repository: name, ...job };
}

function ranBy(event: SeenJob, runnerName: string): SeenJob {
  return { ...event, runner: { id: 7, name: runnerName } };
}

/** A foreign manifest, with a name of davit's and none of its labels. */
function foreign(launchId: string, { namespace }: Profile): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: agentNameOf(launchId), namespace, labels: { app: 'shop' }, annotations: {} },
    spec: { containers: [{ env: [] }] },
  };
}
