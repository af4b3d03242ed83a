import { lstatSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from '../../../../sandbox/node/error-code.ts';
import { unlessGone } from '../is-there.ts';

const hierarchies = '/sys/fs/cgroup';
/** The cgroup hierarchy that contains all processes of a cluster, with their descendants. */
const tracking = 'pids';
const killRounds = 200;
const killPauseMs = 25;

/** The directory of a cgroup. A process joins it by writing its pid into `cgroup.procs`. */
export async function makeTrackingCgroup(name: string): Promise<string> {
  const path = join(hierarchies, tracking, name);
  await mkdir(path, { recursive: true });
  return path;
}

/** Makes a cgroup for Pods in all hierarchies, as the kubelet expects of its root. */
export async function makePodCgroup(name: string): Promise<void> {
  for (const hierarchy of await controllers()) await mkdir(join(hierarchies, hierarchy, name), { recursive: true });
}

/** The processes of a cgroup, optionally with those of its descendants. */
export async function processesIn(name: string, { below = false } = {}): Promise<number[]> {
  const path = join(hierarchies, tracking, name);
  const of = [path, ...(below ? await directoriesBelow(path) : [])];
  const lists = await Promise.all(of.map(pidsIn));
  return lists.flat();
}

/**
 * Kills every process in a cgroup and its descendants, and waits until they are gone. A new process starts in its
 * parent's cgroup, so the next round finds it.
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

/**
 * Removes a cgroup without processes, with its descendants, from all hierarchies. runc also creates some in `unified`.
 */
export async function removeCgroup(name: string): Promise<void> {
  for (const hierarchy of [...(await controllers()), 'unified']) {
    const path = join(hierarchies, hierarchy, name);
    for (const directory of [...(await directoriesBelow(path)).toReversed(), path]) {
      await unlessGone(rmdir(directory), undefined);
    }
  }
}

/** The hierarchies of version 1. `unified` is version 2's, and a symbolic link is an alias of another one. */
async function controllers(): Promise<string[]> {
  const names = await readdir(hierarchies);
  return names.filter((name) => name !== 'unified' && lstatSync(join(hierarchies, name)).isDirectory());
}

/** Lists parents before their descendants. */
async function directoriesBelow(path: string): Promise<string[]> {
  const entries = await unlessGone(readdir(path, { withFileTypes: true }), []);
  const directories = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  const below = await Promise.all(directories.map(async (each) => [each, ...(await directoriesBelow(each))]));
  return below.flat();
}

async function pidsIn(path: string): Promise<number[]> {
  const text = await unlessGone(readFile(join(path, 'cgroup.procs'), 'utf8'), '');
  return text.split('\n').filter(Boolean).map(Number);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // it has ended in the meantime
  }
}
