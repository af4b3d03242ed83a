import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A directory that only this process uses. */
export interface DirectoryLock {
  release(): void;
}

const heldByThisProcess = new Set<string>();

/**
 * Locks a directory for this process. It takes over the lock of a dead process. If two processes do so at the same
 * instant, both succeed here, but LevelDB's own lock stops the second.
 *
 * @throws Error that names the other process and the lock file if a living process holds the lock.
 */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true });
  const lockPath = join(directory, 'runtime.lock');
  const holder = holderOf(lockPath);
  if (holder !== undefined) {
    throw new Error(`another davit runtime (pid ${holder}) uses ${directory} (if it does not, remove ${lockPath})`);
  }
  // A link appears with its content or not at all, so no process reads a lock without a pid.
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

/** Returns the living process that holds the lock. In a container, a dead process can have had this process's pid. */
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
    // EPERM: the process lives and belongs to another user.
    return !(typeof error === 'object' && error !== null && 'code' in error && error.code === 'ESRCH');
  }
}
