import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../../local/cluster/node/error-code.ts';
import { type ClusterPlan, clustersDirectory, directoryOf } from './plan.ts';

/** What is kept of a cluster beside what runs. */
const ClusterRecord = z.strictObject({
  name: z.string(),
  number: z.int(),
  nodes: z.int(),
  kwokNodes: z.int(),
  nodePortRange: z.string(),
  /** Whose it is: once that process has ended, the cluster is nobody's. Absent for one that stays up. */
  owner: z.string().optional(),
});
export type ClusterRecord = z.infer<typeof ClusterRecord>;

const recordPathOf = (number: number): string => join(directoryOf({ number }), 'cluster.json');
const mostClusters = 254;

/**
 * Takes a number that no other cluster has: a directory can only be made once.
 *
 * @throws Error when all are taken
 */
export async function claimNumber(): Promise<number> {
  await mkdir(clustersDirectory, { recursive: true, mode: 0o755 });
  for (let number = 1; number <= mostClusters; number += 1) {
    try {
      await mkdir(directoryOf({ number }));
      return number;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  throw new Error(`there are ${mostClusters} clusters in ${clustersDirectory}: npm run cluster -- down --all`);
}

/** Says what a cluster is; whole at any moment. */
export async function writeRecord(record: ClusterRecord): Promise<void> {
  const path = recordPathOf(record.number);
  await writeFile(`${path}.new`, JSON.stringify(record));
  await rename(`${path}.new`, path);
}

/** Gives a number back, with all that was kept under it. */
export async function releaseNumber(number: number): Promise<void> {
  await rm(directoryOf({ number }), { recursive: true, force: true });
}

/** What each number is taken by; undefined for one that was taken by a process which ended before it said. */
export async function readRegistry(): Promise<Map<number, ClusterRecord | undefined>> {
  const numbers = (await listDirectory(clustersDirectory)).map(Number).filter(Number.isInteger);
  const entries = numbers.map(async (number) => [number, await readRecord(number)] as const);
  return new Map(await Promise.all(entries));
}

/** The cluster of a name; undefined when there is none. */
export async function findRecord(name: string): Promise<ClusterRecord | undefined> {
  return [...(await readRegistry()).values()].find((record) => record?.name === name);
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

/** A process by its pid and its start, as pids come again; undefined when it has ended. */
async function identityOf(pid: string): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The fields after the command, which is in parentheses and may hold anything; the start is the 22nd of all.
  const startTicks = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return startTicks === undefined ? undefined : `${pid}:${startTicks}`;
}

async function readRecord(number: number): Promise<ClusterRecord | undefined> {
  try {
    return ClusterRecord.parse(JSON.parse(await readFile(recordPathOf(number), 'utf8')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function listDirectory(path: string): Promise<string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The plan that a record is of. */
export const planOf = ({ owner: _owner, ...plan }: ClusterRecord): ClusterPlan => plan;
