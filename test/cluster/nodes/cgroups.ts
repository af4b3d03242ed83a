import { lstatSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../../sandbox/node/error-code.ts';

const hierarchies = '/sys/fs/cgroup';
/** The hierarchy by which a cluster's processes are found: every one of them is in it, and so is all that they start. */
const tracking = 'pids';
const killRounds = 200;
const killPauseMs = 25;

/** The directory that a process joins, by writing its pid into `cgroup.procs`. */
export async function makeTrackingCgroup(name: string): Promise<string> {
  const path = join(hierarchies, tracking, name);
  await mkdir(path, { recursive: true });
  return path;
}

/** Makes a cgroup for Pods: in all hierarchies, as the kubelet expects of its root. */
export async function makePodCgroup(name: string): Promise<void> {
  for (const hierarchy of await controllers()) await mkdir(join(hierarchies, hierarchy, name), { recursive: true });
}

/** The processes of a cgroup; of those below it too, when that is asked for. */
export async function processesIn(name: string, { below = false } = {}): Promise<number[]> {
  const path = join(hierarchies, tracking, name);
  const of = [path, ...(below ? await directoriesBelow(path) : [])];
  const lists = await Promise.all(of.map(pidsIn));
  return lists.flat();
}

/**
 * Kills every process of a cgroup and below it, and waits until they are gone. A process that is started meanwhile is
 * in the cgroup of the one that starts it, so the next round finds it.
 *
 * @throws Error when some are still there after 5 s
 */
export async function killCgroup(name: string): Promise<void> {
  for (let round = 0; round < killRounds; round += 1) {
    const pids = await processesIn(name, { below: true });
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await sleep(killPauseMs);
  }
  throw new Error(`cgroup ${name}: processes ${(await processesIn(name, { below: true })).join(', ')} do not end`);
}

/** Removes a cgroup without processes, and those below it, from all hierarchies; runc makes some in `unified` too. */
export async function removeCgroup(name: string): Promise<void> {
  for (const hierarchy of [...(await controllers()), 'unified']) {
    const path = join(hierarchies, hierarchy, name);
    for (const directory of [...(await directoriesBelow(path)).toReversed(), path]) {
      await unlessMissing(rmdir(directory), undefined);
    }
  }
}

/** The hierarchies of version 1; `unified` is version 2's, and a link is a second name of another one. */
async function controllers(): Promise<string[]> {
  const names = await readdir(hierarchies);
  return names.filter((name) => name !== 'unified' && lstatSync(join(hierarchies, name)).isDirectory());
}

/** Each before those below it. */
async function directoriesBelow(path: string): Promise<string[]> {
  const entries = await unlessMissing(readdir(path, { withFileTypes: true }), []);
  const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  const below = await Promise.all(directories.map(async (each) => [each, ...(await directoriesBelow(each))]));
  return below.flat();
}

async function pidsIn(path: string): Promise<number[]> {
  const text = await unlessMissing(readFile(join(path, 'cgroup.procs'), 'utf8'), '');
  return text.split('\n').filter(Boolean).map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // it has ended since it was read
  }
}

/** What is read, or what it is when the cgroup has gone meanwhile. */
async function unlessMissing<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ENODEV'].includes(errorCode(error) ?? '')) return otherwise;
    throw error;
  }
}
