import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../contract/api-client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { emptyOfPods } from '../cluster/node-objects.ts';
import { say } from '../cluster/say.ts';
import type { InstalledBuildbot } from './buildbot/install-buildbot.ts';
import type { PeerCell } from './cells.ts';
import type { FaultName, SystemName } from './faults.ts';
import { inject } from './inject.ts';
import { countJobs, judgeJobs, type Requested, wavesOf } from './judge.ts';
import { lateImage, presentImage } from './late-image.ts';
import { startRecorder } from './recorder.ts';
import { startBuildbot } from './start-buildbot.ts';
import { startDavit } from './start-davit.ts';
import type { System, SystemInput } from './system.ts';
import { startUsage } from './usage.ts';
import { type PodWatch, watchPods } from './watch-pods.ts';

/** What every cell needs. */
export interface PeersWorld {
  cluster: Cluster;
  /** With full rights. */
  api: ApiClient;
  installed: InstalledBuildbot;
  /** Aborted when a person interrupts the run. */
  signal: AbortSignal;
}

/** The size of a cell. */
export interface CellSize {
  jobs: number;
  atOnce: number;
  /** How long a wave's jobs have, from their request on. */
  patienceSeconds: number;
}

/** How long a controller has been up before the first job: it is ready a little before it idles. */
const upMs = 5000;
/** davit retires a surplus agent after two rounds of a minute. */
const goneWithinMs = 180_000;
const lookMs = 100;
/** The most jobs of a wave. */
const mostAtOnce = 20;
const sayEachMs = 10_000;

/** Runs all waves of one fault on a system that it starts for them. */
export async function runCell(
  world: PeersWorld,
  fault: FaultName,
  systemName: SystemName,
  size: CellSize,
): Promise<PeerCell> {
  const { cluster, api, signal } = world;
  const [load = 0] = loadavg();
  const startedMs = performance.now();
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'davit-peers-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const recorder = started.use(await startRecorder(cluster.hostIp));
  const usage = started.use(startUsage());
  const died = new Set<string>();
  let watch: PodWatch | undefined;
  const isDead = (job: string) => {
    const uid = recorder.said.findLast((said) => said.event === 'begins' && said.job === job)?.uid;
    if (uid === undefined) return false;
    return died.has(uid) || watch?.pods().find((pod) => pod.uid === uid)?.goneEpochMs !== undefined;
  };
  const image = fault === 'image-missing' ? lateImage : presentImage;
  // Buildbot takes the workers of a lost node for busy, for longer than a wave takes.
  const busy = fault === 'node-lost' || fault === 'node-deleted' ? size.jobs : 0;
  const mostAgents = mostAtOnce + busy;
  const input = { cluster, api, directory, usage, image, recorderUrl: recorder.url, isDead, mostAgents };
  const system = started.use(await startSystem(world, systemName, input));
  const pods = started.use(watchPods(cluster.kubeconfig, api, system.namespace));
  watch = pods;
  started.defer(() => emptyOfPods(api, system.namespace));
  await sleep(upMs, undefined, { signal });

  const requested: Requested[] = [];
  const waves = wavesOf(size.jobs, size.atOnce);
  for (const [index, jobsOfWave] of waves.entries()) {
    const jobs = Array.from({ length: jobsOfWave }, (_, number) => `${fault}-${index + 1}-${number + 1}`);
    recorder.onStarted = async () => true;
    recorder.onBegins = async () => {};
    const deadlineMs = performance.now() + size.patienceSeconds * 1000;
    const restore = await inject(fault, {
      cluster,
      api,
      recorder,
      system,
      watch: pods,
      jobs,
      died,
      signal,
      saidBefore: recorder.said.length,
      share: (index + 0.5) / waves.length,
      request: async (how) => {
        for (const job of jobs) {
          requested.push({ job, atEpochMs: Date.now() });
          await system[how](job);
        }
      },
    });
    try {
      const isOver = () => jobs.every((job) => recorder.said.some((said) => said.event === 'ends' && said.job === job));
      let sayAtMs = performance.now() + sayEachMs;
      while (!isOver() && performance.now() < deadlineMs) {
        await sleep(lookMs, undefined, { signal });
        if (performance.now() < sayAtMs) continue;
        sayAtMs += sayEachMs;
        const ended = new Set(recorder.said.filter(({ event }) => event === 'ends').map(({ job }) => job)).size;
        say(
          `${fault}, ${systemName}: wave ${index + 1} of ${waves.length}, ${ended} of ${requested.length} jobs are over`,
        );
      }
    } finally {
      await restore?.();
    }
  }
  const goneByMs = performance.now() + goneWithinMs;
  while (pods.present().length > 0 && performance.now() < goneByMs) await sleep(lookMs, undefined, { signal });
  const { took, ...counts } = countJobs(judgeJobs(requested, recorder.said, pods.pods()));
  return {
    fault,
    system: systemName,
    ...counts,
    podsLeft: pods.present().length,
    ...(took === undefined ? {} : { took }),
    cpuSeconds: Math.round(usage.cpuSeconds() * 10) / 10,
    peakMebibytes: Math.round(usage.peakMebibytes()),
    load,
    tookSeconds: Math.round((performance.now() - startedMs) / 1000),
  };
}

function startSystem({ installed }: PeersWorld, name: SystemName, input: SystemInput): Promise<System> {
  return name === 'davit' ? startDavit(input) : startBuildbot(installed, input);
}
