import { readFile } from 'node:fs/promises';
import { errorCode } from '../../../local/cluster/node/error-code.ts';

/** USER_HZ, in which /proc counts: 100 a second on each architecture that Linux has now. */
const tickMs = 10;

/** The processor time that a process has used, user and system; 0 when it has ended. @see proc_pid_stat(5) */
export async function processorMs(pid: number): Promise<number> {
  try {
    return ticksIn(await readFile(`/proc/${pid}/stat`, 'utf8')) * tickMs;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ESRCH') return 0;
    throw error;
  }
}

/** The fields after the command, which is in parentheses and may hold anything: utime and stime are the 14th and 15th of all. */
function ticksIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
