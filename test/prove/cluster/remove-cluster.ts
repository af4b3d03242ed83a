import { killCgroup, removeCgroup } from './nodes/cgroups.ts';
import { removeNetwork } from './nodes/network.ts';
import { tagOf } from './plan.ts';
import { isAbandoned, readRegistry, releaseNumber, removeScratch } from './registry.ts';

/**
 * Removes everything of a cluster, whatever state it is in, by its number alone. It is idempotent. The processes go
 * first: the nodes' networks and mounts go with them.
 */
export async function removeCluster(number: number): Promise<void> {
  await killCgroup(tagOf({ number }));
  await removeCgroup(tagOf({ number }));
  await removeNetwork({ number });
  await releaseNumber(number);
}

/** Removes the clusters whose owner has ended, for example because it was killed. @returns their names */
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
