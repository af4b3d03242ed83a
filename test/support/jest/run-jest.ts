import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * Runs tests in a separate process, with its output shown.
 *
 * @param args jest's arguments: `--config FILE` selects the suite
 * @param env adds to the environment
 * @returns jest's exit code, 1 when a signal ended it
 */
export async function runJest(args: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const tests = spawn(process.execPath, ['node_modules/jest/bin/jest.js', ...args], {
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  // Whoever ends this process means the tests, which have clusters and programs to remove.
  process.once('SIGTERM', (signal) => tests.kill(signal));
  const exited = await once(tests, 'exit');
  return Number(exited[0] ?? 1);
}

/** Suites that need more than Node.js. */
interface Suites {
  /** The output of `--help`. */
  help: string;
  /** Jest's configuration. */
  config: string;
  /** What they are tests of: `of the chart`. */
  tests: string;
  /** What this machine lacks for them, in lines; empty when they can run. */
  missing: string;
}

/** Runs a program of suites with its arguments, which are jest's. Skips the suites if something is missing, but not in CI. */
export async function runSuites({ help, config, tests, missing }: Suites): Promise<void> {
  if (process.argv.includes('--help')) {
    process.stdout.write(help);
  } else if (missing === '') {
    process.exitCode = await runJest(['--config', config, ...process.argv.slice(2)]);
  } else {
    const isCi = (process.env['CI'] ?? '') !== '';
    const outcome = isCi ? 'cannot run, and in CI they must' : 'are skipped';
    process.stderr.write(`The tests ${tests} ${outcome}:\n${missing}\n`);
    process.exitCode = isCi ? 1 : 0;
  }
}
