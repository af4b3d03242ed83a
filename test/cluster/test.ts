/** Runs the suites that need a real Kubernetes: `npm run test:cluster`. Arguments are jest's. */
import { spawnSync } from 'node:child_process';
import { describeMissing, missingRequirements } from './programs/requirements.ts';
import { root } from './run.ts';

const missing = await missingRequirements();
if (missing.length === 0) {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const args = [...jest, '--config', 'test/cluster/jest.config.js', ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else {
  const isCi = (process.env['CI'] ?? '') !== '';
  const outcome = isCi ? 'cannot run, and in CI they must' : 'are skipped';
  process.stderr.write(`The tests on a real Kubernetes ${outcome}:\n${describeMissing(missing)}\n`);
  process.exitCode = isCi ? 1 : 0;
}
