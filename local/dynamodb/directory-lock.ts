import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A directory that this process has for itself. */
export interface DirectoryLock {
  release(): void;
}

const heldByThisProcess = new Set<string>();

/**
 * Takes a directory for this process. The lock of a process that is no more is taken over. (Two processes that take a
 * dead one's lock over in the same instant both could; LevelDB's own lock then stops the second.)
 *
 * @throws Error that names the other process and the lock file when a living process has it.
 */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true });
  const lockPath = join(directory, 'runtime.lock');
  const holder = holderOf(lockPath);
  if (holder !== undefined) {
    throw new Error(`another davit runtime (pid ${holder}) uses ${directory} (if it does not, remove ${lockPath})`);
  }
  // A link appears with its content or not at all: nobody reads a lock without a pid.
  const draftPath = `${lockPath}.${process.pid}`;
  writeFileSync(draftPath, String(process.pid));
  rmSync(lockPath, { force: true });
  linkSync(draftPath, lockPath);
  rmSync(draftPath);
  heldByThisProcess.add(lockPath);
  return {
    release: () => {
      heldByThisProcess.delete(lockPath);
      rmSync(lockPath, { force: true });
    },
  };
}

/** The living process that has the lock. In a container the dead one can have had this process's own pid. */
function holderOf(lockPath: string): number | undefined {
  if (heldByThisProcess.has(lockPath)) return process.pid;
  if (!existsSync(lockPath)) return undefined;
  const pid = Number(readFileSync(lockPath, 'utf8'));
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return undefined;
  return isAlive(pid) ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and is somebody else's.
    return !(typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH');
  }
}
