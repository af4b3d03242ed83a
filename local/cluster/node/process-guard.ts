import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Sees to it that no process group outlives the program that started it, even if that is killed by kill -9. */
export interface ProcessGuard {
  add(group: number): void;
  remove(group: number): void;
  /** Ends the reaper, which first ends the groups that are left. */
  close(): Promise<void>;
}

/**
 * Makes a guard; its reaper starts with the first group.
 *
 * The reaper's end of the pipe sees the end of its input however this program ends: nothing has to be done for that.
 */
export function processGuard(): ProcessGuard {
  const groups = new Set<number>();
  let reaper: ChildProcess | undefined;
  let isClosed = false;

  const tell = (line: string) => {
    reaper?.stdin?.write(`${line}\n`);
  };
  const start = () => {
    // A session of its own: Ctrl-C in a terminal goes to the whole foreground group, and must not reach it.
    const child = spawn(process.execPath, [fileURLToPath(new URL('reaper.ts', import.meta.url))], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    reaper = child;
    // Writing to a reaper that has just died fails; its exit, below, is what is acted upon.
    child.stdin.on('error', () => child.kill());
    child.once('exit', () => {
      reaper = undefined;
      if (!isClosed && groups.size > 0) {
        start();
      }
    });
    for (const group of groups) {
      tell(`+${group}`);
    }
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
