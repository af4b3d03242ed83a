import { liveStatuses } from '../../core/launch/launch-record.ts';
import type { Launch } from '../view/timeline.ts';
import type { Acceptance } from './acceptance.ts';
import { poll } from './poll.ts';
import { noJobs, type ScenarioResult } from './scenario.ts';

/** What the end of an acceptance shows. */
const named = { name: 'nothing-left', does: 'every launch is over, and no runner is left' };

/** Waits until the launches of the acceptance are over, and their runners are gone. */
export async function nothingLeft(acceptance: Acceptance): Promise<ScenarioResult> {
  const startedMs = performance.now();
  const { signal, ci } = acceptance;
  let left: string[] = [];
  const untilMs = Math.max(acceptance.untilMs, startedMs + acceptance.removalMs);
  await poll({ untilMs, signal, pauseMs: ci.pauseMs }, async () => {
    left = await leftNow(acceptance);
    return left.length === 0;
  });
  const verdict = left.length === 0 ? 'held' : 'not-held';
  const tookMs = performance.now() - startedMs;
  return { ...named, ...noJobs, verdict, why: left, tookMs };
}

async function leftNow({ launches, runnerNames }: Acceptance): Promise<string[]> {
  const all = await launches();
  const going = all.filter(({ status }) => [...liveStatuses, 'cleaning'].includes(status));
  const runners = (await runnerNames()).filter((name) => all.some((launch) => isRunnerOf(name, launch)));
  return [
    ...counted(going.length, 'launch goes on', 'launches go on'),
    ...counted(runners.length, 'runner is left', 'runners are left'),
  ];
}

/** A runner's name ends in its launch's id; a later generation's and a replacement's have more behind it. */
function isRunnerOf(name: string, { launchId }: Launch): boolean {
  return name.endsWith(`-${launchId}`) || name.includes(`-${launchId}-`);
}

function counted(count: number, one: string, many: string): string[] {
  return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
}
