import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../../../sandbox/node/error-code.ts';
import { unlessGone } from './is-there.ts';
import { ClusterPlan, clustersDirectory, directoryOf } from './plan.ts';

const ClusterRecord = ClusterPlan.extend({
  /** The owning process. Once it has ended, any process may remove the cluster. Absent for a cluster that stays up. */
  owner: z.string().optional(),
});
export type ClusterRecord = z.infer<typeof ClusterRecord>;

const recordName = 'cluster.json';
const scratchName = /^scratch-(\d+:\d+)-/;
const mostClusters = 254;

/**
 * Claims a free number for a cluster, and records its owner atomically: every claimed number has a record.
 *
 * @returns the cluster's record
 * @throws Error when all numbers are taken
 */
export async function claimNumber(cluster: Omit<ClusterRecord, 'number'>): Promise<ClusterRecord> {
  const claim = await makeScratch();
  for (let number = 1; number <= mostClusters; number += 1) {
    const record = { ...cluster, number };
    await writeFile(join(claim, recordName), JSON.stringify(record));
    try {
      await rename(claim, directoryOf(record));
      return record;
    } catch (error) {
      if (errorCode(error) !== 'ENOTEMPTY') throw error; // taken
    }
  }
  await rm(claim, { recursive: true });
  throw new Error(`there are ${mostClusters} clusters in ${clustersDirectory}: npm run cluster -- down --all`);
}

/** Writes a cluster's record atomically. */
export async function writeRecord(record: ClusterRecord): Promise<void> {
  const path = join(directoryOf(record), recordName);
  await writeFile(`${path}.new`, JSON.stringify(record));
  await rename(`${path}.new`, path);
}

/** Releases a number with its directory. The number is free at once, even while its files are still being removed. */
export async function releaseNumber(number: number): Promise<void> {
  const discarded = await makeScratch();
  // Another process may have released it.
  await unlessGone(rename(directoryOf({ number }), discarded), undefined);
  await rm(discarded, { recursive: true });
}

/** Removes the scratch directories of processes that ended in the middle of a claim or removal. */
export async function removeScratch(): Promise<void> {
  for (const name of await unlessGone(readdir(clustersDirectory), [])) {
    const owner = scratchName.exec(name)?.[1];
    if (owner === undefined || !(await isAbandoned({ owner }))) continue;
    await rm(join(clustersDirectory, name), { recursive: true, force: true });
  }
}

async function makeScratch(): Promise<string> {
  await mkdir(clustersDirectory, { recursive: true, mode: 0o755 });
  const path = await mkdtemp(join(clustersDirectory, `scratch-${await ownerHere()}-`));
  await chmod(path, 0o755);
  return path;
}

/** The records of all taken numbers. */
export async function readRegistry(): Promise<ClusterRecord[]> {
  const numbers = (await unlessGone(readdir(clustersDirectory), [])).map(Number).filter(Number.isInteger);
  const records = await Promise.all(numbers.map(readRecord));
  return records.filter((record) => record !== undefined);
}

/** The record of the cluster with this name; undefined when there is none. */
export async function findRecord(name: string): Promise<ClusterRecord | undefined> {
  return (await readRegistry()).find((record) => record.name === name);
}

/** Whether a cluster belongs to a process that has ended. */
export async function isAbandoned({ owner }: Pick<ClusterRecord, 'owner'>): Promise<boolean> {
  if (owner === undefined) return false;
  const [pid = ''] = owner.split(':');
  return (await identityOf(pid)) !== owner;
}

/** This process, as the owner of a cluster. */
export async function ownerHere(): Promise<string> {
  const identity = await identityOf(String(process.pid));
  if (identity === undefined) throw new Error('/proc does not know this process');
  return identity;
}

/** Identifies a process by its pid and its start time, because pids are reused; undefined when it has ended. */
async function identityOf(pid: string): Promise<string | undefined> {
  const stat = await unlessGone(readFile(`/proc/${pid}/stat`, 'utf8'), undefined);
  // The fields after the command, which is in parentheses and may contain anything. The start time is the 22nd field
  // overall.
  const startTicks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return startTicks === undefined ? undefined : `${pid}:${startTicks}`;
}

/** Undefined when the number was released in the meantime. */
async function readRecord(number: number): Promise<ClusterRecord | undefined> {
  const text = await unlessGone(readFile(join(directoryOf({ number }), recordName), 'utf8'), undefined);
  return text === undefined ? undefined : ClusterRecord.parse(JSON.parse(text));
}

/** The plan in a record. */
export const planOf = ({ owner: _owner, ...plan }: ClusterRecord): ClusterPlan => plan;
