/** Runs the suites that need a real Kubernetes: `npm run test:cluster`. Arguments are jest's. */
import { spawnSync } from 'node:child_process';
import { describeMissing, missingRequirements } from './programs/requirements.ts';
import { root } from './run.ts';

const help = `npm run test:cluster -- [jest's options]

Runs the suites that need a real Kubernetes, on a cluster that is started for them and taken down again. npm run cluster
-- --help says what that needs: what is missing is named, and nothing is run, which with CI=1 is exit code 1.
`;

const missing = await missingRequirements();
if (process.argv.includes('--help')) {
  process.stdout.write(help);
} else if (missing.length === 0) {
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
