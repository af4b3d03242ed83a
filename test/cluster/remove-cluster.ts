import { killCgroup, removeCgroup } from './nodes/cgroups.ts';
import { removeNetwork } from './nodes/network.ts';
import { tagOf } from './plan.ts';
import { isAbandoned, readRegistry, releaseNumber, removeScratch } from './registry.ts';

/**
 * Removes everything of a cluster, whatever state it is in, by nothing but its number; a second time changes nothing.
 * Its processes go first: its nodes' networks and mounts are theirs, and go with them.
 */
export async function removeCluster(number: number): Promise<void> {
  await killCgroup(tagOf({ number }));
  await removeCgroup(tagOf({ number }));
  await removeNetwork({ number });
  await releaseNumber(number);
}

/** Removes the clusters whose owner has ended, as one that is killed cannot. @returns their names */
export async function removeAbandoned(): Promise<string[]> {
  const removed: string[] = [];
  await removeScratch();
  for (const record of await readRegistry()) {
    if (!(await isAbandoned(record))) continue;
    await removeCluster(record.number);
    removed.push(record.name);
  }
  return removed;
}
