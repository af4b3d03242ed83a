import { readFile } from 'node:fs/promises';
import { unlessGone } from '../is-there.ts';

/** USER_HZ, the unit of /proc: 100 per second on all current architectures of Linux. */
const tickMs = 10;

/** A process's processor time, user and system; 0 when it has ended. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await unlessGone(readFile(`/proc/${pid}/stat`, 'utf8'), undefined);
  return stat === undefined ? 0 : processorMsIn(stat);
}

/**
 * Reads utime and stime, the 14th and 15th field. The second field is the command, in parentheses, which may contain
 * anything.
 *
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function processorMsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}
