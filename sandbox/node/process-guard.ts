import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Ensures that no process group outlives the program that started it, even after kill -9. */
export interface ProcessGuard {
  add(group: number): void;
  remove(group: number): void;
  /** Stops the reaper, which first stops the groups that are left. */
  close(): Promise<void>;
}

/**
 * Makes a guard. Its reaper starts with the first group.
 *
 * However this program ends, the system closes the pipe to the reaper, and the reaper sees the end of its input.
 */
export function processGuard(): ProcessGuard {
  const groups = new Set<number>();
  let reaper: ChildProcess | undefined;
  let isClosed = false;

  const tell = (line: string) => {
    reaper?.stdin?.write(`${line}\n`);
  };
  const start = () => {
    // The reaper has its own session: Ctrl-C signals the whole foreground group and must not reach it.
    const child = spawn(process.execPath, [fileURLToPath(new URL('reaper.ts', import.meta.url))], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    reaper = child;
    // A write to a reaper that has just died fails. The exit handler below restarts the reaper.
    child.stdin.on('error', () => child.kill());
    child.once('exit', () => {
      reaper = undefined;
      if (!isClosed && groups.size > 0) start();
    });
    for (const group of groups) tell(`+${group}`);
  };

  return {
    add(group) {
      groups.add(group);
      if (reaper === undefined) {
        start();
      } else {
        tell(`+${group}`);
      }
    },
    remove(group) {
      groups.delete(group);
      tell(`-${group}`);
    },
    async close() {
      isClosed = true;
      const child = reaper;
      if (child !== undefined) {
        const ended = once(child, 'exit');
        child.stdin?.end();
        await ended;
      }
    },
  };
}
