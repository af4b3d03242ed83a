/** Runs the suites that need a real CI system: `npm run test:ci`. Arguments are jest's. */
import { spawnSync } from 'node:child_process';
import { root } from '../cluster/run.ts';

const help = `npm run test:ci -- [jest's options]

Runs the suites that need a real CI system: a Gitea 1.26, which the first run builds from its Go module (about 8 minutes).
Needs Go and a C compiler. Where they are missing the suites are skipped, which with CI=1 is exit code 1.
`;

const missing = ['go', 'cc'].filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
if (process.argv.includes('--help')) {
  process.stdout.write(help);
} else if (missing.length === 0) {
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const args = [...jest, '--config', 'test/ci/jest.config.js', ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
} else {
  const isCi = (process.env['CI'] ?? '') !== '';
  const outcome = isCi ? 'cannot run, and in CI they must' : 'are skipped';
  process.stderr.write(`The tests on a real Gitea ${outcome}: ${missing.join(' and ')} missing\n`);
  process.exitCode = isCi ? 1 : 0;
}
