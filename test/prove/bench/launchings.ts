import { type ProfileName, profileNames } from '../on-cluster/config.ts';
import { davitUser } from '../on-cluster/davit-identity.ts';
import type { ApiCall } from './audit-log.ts';
import { type Bench, contenders, newLaunchId, profileOf, untilGone } from './bench.ts';
import type { Timeline } from './timelines.ts';

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

async function launchDirectly(
  bench: Bench,
  launches: Bench['own'],
  profile: ProfileName = profileNames.kwok,
): Promise<Launched> {
  const launchId = newLaunchId();
  const startMs = performance.now();
  await launches.launch(profileOf(bench, profile), launchId);
  const tookMs = performance.now() - startMs;
  return { tookMs, agentName: `davit-${launchId}`, remove: () => launches.remove(launchId) };
}

/** Launches one alone, without davit's runtime, and removes it. @returns its duration, in milliseconds */
export async function timeAlone(bench: Bench, launches: Bench['own'], profile?: ProfileName): Promise<number> {
  const { tookMs, agentName, remove } = await launchDirectly(bench, launches, profile);
  await remove();
  await untilGone(bench.api, agentName);
  return tookMs;
}

/** Launches one alone by davit, and removes it. @returns its timeline, and davit's API calls, those to remove it too */
export async function observeAlone(
  bench: Bench,
  profile: ProfileName = profileNames.kwok,
): Promise<{ timeline: Timeline; publishedEpochMs: number; tookMs: number; calls: ApiCall[] }> {
  const { launcher, audit, api } = bench;
  await forget(bench);
  const timeline = await launcher.request(profile);
  const { atEpochMs } = await launcher.published(timeline);
  await launcher.end(timeline);
  await untilGone(api, timeline.agentName);
  const calls = await audit.read(davitUser);
  return { timeline, publishedEpochMs: atEpochMs, tookMs: atEpochMs - timeline.acceptedEpochMs, calls };
}

/** Forgets what was observed of earlier launches. */
export async function forget({ davit, audit }: Pick<Bench, 'davit' | 'audit'>): Promise<void> {
  await Promise.all([davit.observe(), audit.read(davitUser)]);
}

async function launchWhole({ launcher }: Bench): Promise<Launched> {
  const timeline = await launcher.request(profileNames.kwok);
  const { atEpochMs } = await launcher.published(timeline);
  const tookMs = atEpochMs - timeline.acceptedEpochMs;
  return { tookMs, agentName: timeline.agentName, remove: () => launcher.end(timeline) };
}
