import { appendFileSync, readFileSync } from 'node:fs';

/** The environment variable with the path of the file that lists what test files cost. */
const variable = 'DAVIT_TEST_COSTS';

/**
 * Runs a test file. If the environment asks for it, appends a line with its processor time in seconds, child processes included,
 * and its path. Needs Linux then.
 */
export async function noteCost<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  const costs = process.env[variable];
  if (costs === undefined) return run();
  const before = cpuSeconds();
  try {
    return await run();
  } finally {
    appendFileSync(costs, `${(cpuSeconds() - before).toFixed(2)} ${path}\n`);
  }
}

/** The processor time of this process, and of its child processes that have ended. @see proc_pid_stat(5) */
function cpuSeconds(): number {
  // The second field is the program's name, in parentheses. Times are in hundredths of a second.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15).map(Number);
  return (utime + stime + cutime + cstime) / 100;
}
