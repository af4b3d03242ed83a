import { profileNames } from '../on-cluster/config.ts';
import { type Bench, contenders, newLaunchId, profileOf } from './bench.ts';

/** A launch that has its token, or the contender's equivalent. */
export interface Launched {
  /** From the accepted request to the published token. */
  tookMs: number;
  agentName: string;
  /** Starts to remove it. */
  remove: () => Promise<void>;
}

/** A contender that launches on kwok nodes. */
export interface Launching {
  name: string;
  launch: (bench: Bench) => Promise<Launched>;
  /** The contender's own processor time, without Kubernetes', in milliseconds. */
  processorMs: (bench: Bench) => Promise<number>;
}

/** The contenders that take turns, in the order of the figures: the lower bound first. */
export const launchings: readonly [bare: Launching, own: Launching, davit: Launching] = [
  { name: contenders.bare, launch: (bench) => launchDirectly(bench, bench.bare), processorMs: processorMsHere },
  { name: contenders.own, launch: (bench) => launchDirectly(bench, bench.own), processorMs: processorMsHere },
  {
    name: contenders.davit,
    launch: launchWhole,
    processorMs: async ({ davit }) => (await davit.observe()).cpuMs,
  },
];

async function processorMsHere(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function launchDirectly(bench: Bench, launches: Bench['own']): Promise<Launched> {
  const launchId = newLaunchId();
  const startMs = performance.now();
  await launches.launch(profileOf(bench, profileNames.kwok), launchId);
  const tookMs = performance.now() - startMs;
  return { tookMs, agentName: `davit-${launchId}`, remove: () => launches.remove(launchId) };
}

async function launchWhole({ launcher }: Bench): Promise<Launched> {
  const timeline = await launcher.request(profileNames.kwok);
  const { atEpochMs } = await launcher.published(timeline);
  const tookMs = atEpochMs - timeline.acceptedEpochMs;
  return { tookMs, agentName: timeline.agentName, remove: () => launcher.end(timeline) };
}
