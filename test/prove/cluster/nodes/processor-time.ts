import { readFile } from 'node:fs/promises';
import { errorCode } from '../../../../sandbox/node/error-code.ts';

/** USER_HZ, the unit of /proc: 100 per second on all current architectures of Linux. */
const tickMs = 10;

/** A process's processor time, user and system; 0 when it has ended. */
export async function processorMs(pid: number): Promise<number> {
  try {
    return processorMsIn(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return 0;
    throw error;
  }
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
