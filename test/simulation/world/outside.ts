import { agentNameOf, apiLaunchId, githubLaunchId } from '../../../functions/domain/names.ts';
import type { Manifest } from '../../../functions/ports/cluster.ts';
import type { WorkflowJobEvent } from '../../../functions/webhook/workflow-job.ts';
import type { SimulatedCluster } from './cluster.ts';
import type { Core } from './core.ts';
import type { SimulatedCredentials } from './credentials.ts';
import type { SimulatedExecutions } from './executions.ts';
import type { FaultKind } from './fault-kinds.ts';
import type { Gateway } from './gateway.ts';

/** What the outside reaches of a world. */
export interface Doors {
  gateway: Gateway;
  cluster: SimulatedCluster;
  executions: SimulatedExecutions;
  credentials: SimulatedCredentials;
  sweep: () => void;
}

const repositoryId = 1;
const windowMs = 60_000;

/** CI servers that ask for agents, and people who get in the way: each job of a run, and what becomes of it. */
export class Outside {
  readonly #core: Core;
  readonly #doors: Doors;

  constructor(core: Core, doors: Doors) {
    this.#core = core;
    this.#doors = doors;
  }

  /** Has a job asked for, and all that its faults make of it. */
  plan(jobId: number): void {
    if (jobId % 4 === 0) this.#planPosted(jobId);
    else this.#planWebhooks(jobId);
  }

  #planWebhooks(jobId: number): void {
    const launchId = githubLaunchId({ repositoryId, jobId, runAttempt: 1 });
    const queuedMs = this.#within(0, windowMs);
    this.#prepare(launchId, queuedMs);
    const lateMs = this.#hits('webhookLate', launchId) ? this.#within(10_000, 200_000) : 0;
    this.#deliver(jobId, launchId, 'queued', queuedMs + lateMs);
    if (this.#hits('webhookReordered', launchId)) {
      return this.#deliver(jobId, launchId, 'completed', Math.max(0, queuedMs + lateMs - this.#within(1, 3000)));
    }
    if (this.#hits('webhookLost', launchId)) return;
    this.#deliver(jobId, launchId, 'completed', queuedMs + lateMs + longerThanAnyLaunchMs + this.#within(0, 60_000));
  }

  #planPosted(jobId: number): void {
    const launchId = apiLaunchId(`job ${jobId}`);
    const atMs = this.#within(0, windowMs);
    this.#prepare(launchId, atMs);
    const env = { JOB_SECRET: secretOfJobs };
    const post = () => {
      this.#doors.gateway.postLaunch({ profile: 'dialled', jobId: `job ${jobId}`, env }, launchId, (statusCode) => {
        this.#core.history.add({ kind: 'asked', launchId, door: 'queued', statusCode });
        if (statusCode >= 500) this.#core.scheduler.after(this.#within(1000, 10_000), post);
      });
    };
    this.#core.scheduler.after(atMs, post);
  }

  #prepare(launchId: string, atMs: number): void {
    const { scheduler } = this.#core;
    const soon = () => atMs + this.#within(0, this.#core.random.pick([300, 3000, 90_000]));
    if (this.#hits('nameTaken', launchId)) scheduler.after(0, () => this.#takeName(launchId));
    if (this.#hits('deletedByPeople', launchId)) scheduler.after(soon(), () => this.#delete(launchId));
    if (this.#hits('deletedTwice', launchId)) {
      const bothMs = soon();
      for (const each of [1, 2]) scheduler.after(bothMs + each, () => this.#delete(launchId));
    }
    if (this.#hits('stoppedByPeople', launchId)) {
      scheduler.after(soon(), () => this.#doors.executions.stop(launchId, 'Stopped', 'by hand'));
    }
    if (this.#hits('deletedByOthers', launchId)) scheduler.after(soon(), () => this.#deleteObject(launchId));
    if (this.#hits('replacedByOthers', launchId)) scheduler.after(soon(), () => this.#replaceObject(launchId));
    if (this.#hits('keyRotated', undefined)) scheduler.after(soon(), () => this.#doors.credentials.rotate());
    if (this.#hits('sweepAnyMoment', undefined)) scheduler.after(soon(), this.#doors.sweep);
    if (this.#hits('sweepTwice', undefined)) {
      const bothMs = soon();
      for (const each of [1, 2]) scheduler.after(bothMs + each, this.#doors.sweep);
    }
  }

  #deliver(jobId: number, launchId: string, action: 'queued' | 'completed', atMs: number): void {
    const event: WorkflowJobEvent = {
      action,
      repository: { id: repositoryId },
      workflow_job: {
        id: jobId,
        run_attempt: 1,
        labels: [jobId % 5 === 0 ? 'dial-out' : 'dialled'],
        conclusion: 'success',
      },
    };
    const send = () => {
      this.#doors.gateway.webhook(event, launchId, (statusCode) => {
        this.#core.history.add({ kind: 'asked', launchId, door: action, statusCode });
        // GitHub does not deliver again by itself: a person does, or a script.
        if (statusCode >= 500) this.#core.scheduler.after(this.#within(1000, 60_000), send);
      });
    };
    this.#core.scheduler.after(atMs, send);
    if (this.#hits('webhookTwice', launchId)) {
      this.#core.scheduler.after(atMs + this.#within(0, this.#core.random.pick([5, 1000, 400_000])), send);
    }
  }

  #delete(launchId: string): void {
    this.#doors.gateway.deleteLaunch(launchId, (statusCode) => {
      this.#core.history.add({ kind: 'asked', launchId, door: 'delete', statusCode });
    });
  }

  #takeName(launchId: string): void {
    this.#doors.cluster.createService(foreign(launchId), 'others');
  }

  #deleteObject(launchId: string): void {
    const name = agentNameOf(launchId);
    if (this.#core.random.chance(0.5)) this.#doors.cluster.deleteService(name, 'others', true);
    else this.#doors.cluster.deletePod(name, 'others', true);
  }

  /** Somebody's own controller wants the name: at once, or as soon as our Pod is gone. */
  #replaceObject(launchId: string): void {
    const { cluster } = this.#doors;
    const name = agentNameOf(launchId);
    const pod = cluster.pods.get(name);
    if (pod === undefined) return;
    const replace = () => {
      if (cluster.pods.get(name) === undefined) cluster.createPod({ ...foreign(launchId), kind: 'Pod' }, 'others');
    };
    if (this.#core.random.chance(0.5)) cluster.pods.watch(name, () => this.#core.scheduler.after(1, replace));
    else cluster.removePod(name, pod.metadata.uid);
    replace();
  }

  #within(fromMs: number, toMs: number): number {
    return this.#core.random.between(fromMs, toMs);
  }

  #hits(kind: FaultKind, launchId: string | undefined): boolean {
    return this.#core.faults.hits(kind, launchId);
  }
}

/** When a job is completed at the earliest, in milliseconds: its agent has connected by then, or never will. */
const longerThanAnyLaunchMs = 1_800_000;

/** The value of an environment variable that a caller gives: to be in the record and the Pod, and nowhere else. */
export const secretOfJobs = 'job-secret-value';

/** A manifest of somebody else's, with a name of ours and none of our labels. */
function foreign(launchId: string): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: agentNameOf(launchId), namespace: 'agents', labels: { app: 'shop' }, annotations: {} },
    spec: { containers: [{ env: [] }] },
  };
}
