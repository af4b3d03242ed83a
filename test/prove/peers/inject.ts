import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../contract/api-client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { FaultName } from './faults.ts';
import { addImage, lateImage, removeImage } from './late-image.ts';
import { loseNode, restoreNode, setSchedulable } from './lose-node.ts';
import type { Recorder } from './recorder.ts';
import type { System } from './system.ts';
import type { PodWatch } from './watch-pods.ts';

/** Jobs that are requested at once, and that get one fault. */
export interface Wave {
  cluster: Cluster;
  api: ApiClient;
  recorder: Recorder;
  /** How much agents had said before the wave. */
  saidBefore: number;
  system: System;
  watch: PodWatch;
  jobs: readonly string[];
  /** The wave's place among all waves of its fault, from 0 to 1. Spreads the moments of the fault. */
  share: number;
  /** Requests all jobs, and notes when. */
  request: (how: 'request' | 'requestUnheard') => Promise<void>;
  /** The agents that died with their node. */
  died: Set<string>;
  signal: AbortSignal;
}

const downMs = 2000;
const frozenMs = 25_000;
const imageMissingMs = 45_000;
const nodeStaysMs = 20_000;
const sourceAwayMs = 10_000;
/** An agent is up within this time after a request. */
const comingUpMs = 2000;
/** A Pod is gone within this time after the end of its job. */
const goingMs = 1000;
/** In this time, most agents come up and begin their jobs. */
const beginningMs = 4000;
const lookMs = 20;
const phaseWithinMs = 600_000;

/**
 * Requests a wave's jobs, and injects a fault. What has to be restored for the jobs to run is restored at the end.
 *
 * @returns what to restore after the wave, if anything
 */
export async function inject(fault: FaultName, wave: Wave): Promise<(() => Promise<void>) | void> {
  const { cluster, api, recorder, system, watch, jobs, share, request, signal } = wave;
  const pause = (ms: number) => sleep(ms, undefined, { signal });
  const restart = async () => {
    await system.kill();
    await pause(downMs);
    await system.start();
  };
  switch (fault) {
    case 'none':
      await request('request');
      return;
    case 'kill-coming-up':
      await request('request');
      await pause(share * comingUpMs);
      await restart();
      return;
    case 'kill-running':
      await whileRunning(wave, restart);
      return;
    case 'kill-going':
      await request('request');
      await untilSaid(wave, 'ends', 1);
      await pause(share * goingMs);
      await restart();
      return;
    case 'api-frozen':
      await request('request');
      await pause(share * comingUpMs);
      await cluster.signal('kube-apiserver', 'SIGSTOP');
      try {
        await pause(frozenMs);
      } finally {
        await cluster.signal('kube-apiserver', 'SIGCONT');
      }
      return;
    case 'node-lost':
    case 'node-deleted': {
      const [first, other] = cluster.nodes;
      if (first === undefined || other === undefined) throw new RangeError('expected a cluster of two nodes');
      await setSchedulable(api, first, false);
      await whileRunning(wave, async () => {
        await setSchedulable(api, first, true);
        for (const { uid } of watch.present()) wave.died.add(uid);
        await loseNode(cluster, other);
      });
      if (fault === 'node-deleted') {
        await pause(nodeStaysMs);
        await api.send(`/api/v1/nodes/${other.name}`, { method: 'DELETE' });
      }
      return () => restoreNode(cluster, api, other);
    }
    case 'pod-deleted-early': {
      const deleted = Promise.withResolvers<void>();
      keepFromConnecting(wave, deleted.promise);
      await request('request');
      await untilSaid(wave, 'started', jobs.length);
      await deletePods(wave);
      deleted.resolve();
      return;
    }
    case 'pod-deleted-running':
      await whileRunning(wave, async () => {
        const deleted = watch.present();
        await deletePods(wave);
        // A job that goes on before would be over before its container is killed.
        const deadlineMs = performance.now() + phaseWithinMs;
        while (deleted.some(({ goneEpochMs }) => goneEpochMs === undefined) && performance.now() < deadlineMs)
          await pause(lookMs);
      });
      return;
    case 'image-missing':
      await removeImage(cluster, lateImage);
      await request('request');
      try {
        await pause(imageMissingMs);
      } finally {
        await addImage(cluster, lateImage);
      }
      return;
    case 'never-connects':
      keepFromConnecting(wave, Promise.resolve());
      await request('request');
      return;
    case 'webhook-lost':
      await request('requestUnheard');
      return;
    case 'ci-restarted': {
      const go = hold(recorder);
      await request('request');
      await pause(share * beginningMs);
      await system.restartSource(sourceAwayMs);
      go();
    }
  }
}

/** Does something while all jobs of the wave run. They go on afterwards. */
async function whileRunning(wave: Wave, work: () => Promise<void>): Promise<void> {
  const go = hold(wave.recorder);
  try {
    await wave.request('request');
    await untilSaid(wave, 'begins', wave.jobs.length);
    await work();
  } finally {
    go();
  }
}

/** Keeps the first agent of each job from connecting. Its container is answered when `answered` has come. */
function keepFromConnecting({ recorder, jobs }: Wave, answered: Promise<void>): void {
  const first = new Set<string>();
  recorder.onStarted = async (uid) => {
    if (first.size >= jobs.length) return true;
    first.add(uid);
    await answered;
    return false;
  };
}

/** Holds the jobs that begin. @returns a function that lets all of them go on */
function hold(recorder: Recorder): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  recorder.onBegins = () => promise;
  return resolve;
}

/** Waits until this many agents of the wave have said something. @throws Error when it takes too long */
async function untilSaid(wave: Wave, event: 'started' | 'begins' | 'ends', agents: number): Promise<void> {
  const { recorder, saidBefore, signal } = wave;
  const deadlineMs = performance.now() + phaseWithinMs;
  const heard = () => {
    const said = recorder.said.slice(saidBefore).filter((each) => each.event === event);
    return new Set(said.map(({ uid }) => uid)).size;
  };
  while (heard() < agents) {
    // A fault at another moment would be another fault.
    if (performance.now() > deadlineMs) throw new Error(`only ${heard()} of ${agents} agents have said "${event}"`);
    await sleep(lookMs, undefined, { signal });
  }
}

/** Deletes the Pods as `kubectl delete pod` does. */
async function deletePods({ api, watch, system }: Wave): Promise<void> {
  const path = `/api/v1/namespaces/${system.namespace}/pods`;
  await Promise.all(watch.present().map(({ name }) => api.send(`${path}/${name}`, { method: 'DELETE' })));
}
