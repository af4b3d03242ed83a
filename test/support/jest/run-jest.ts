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
