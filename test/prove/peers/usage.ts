import { readFile } from 'node:fs/promises';
import { processorMs } from '../cluster/nodes/processor-time.ts';

/** What a controller uses, over all of its processes after each other. */
export interface Usage extends Disposable {
  /** Follows a new process from its start on. */
  follow(pid: number): void;
  /** User and system time. */
  cpuSeconds(): number;
  /** The most memory that a process has had resident. */
  peakMebibytes(): number;
}

const everyMs = 200;

/** Starts to read a controller's usage from /proc, which forgets a process when it ends. */
export function startUsage(): Usage {
  const cpuMsOf = new Map<number, number>();
  let current: number | undefined;
  let peakKibibytes = 0;
  const read = async () => {
    if (current === undefined) return;
    const pid = current;
    cpuMsOf.set(pid, Math.max(await processorMs(pid), cpuMsOf.get(pid) ?? 0));
    peakKibibytes = Math.max(peakKibibytes, peakKibibytesIn(await statusOf(pid)));
  };
  const timer = setInterval(() => void read(), everyMs);
  return {
    follow: (pid) => {
      current = pid;
    },
    cpuSeconds: () => [...cpuMsOf.values()].reduce((sum, ms) => sum + ms, 0) / 1000,
    peakMebibytes: () => peakKibibytes / 1024,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** Reads VmHWM, the peak of the resident memory, in KiB; 0 for a process that has ended. */
export function peakKibibytesIn(status: string): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
}

function statusOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
}
