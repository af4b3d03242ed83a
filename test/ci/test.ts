/** Runs the suites that need a real CI system: `npm run prove -- ci`. Arguments are jest's. */
import { spawnSync } from 'node:child_process';
import { root } from '../cluster/run.ts';
import { runJest } from '../support/jest/run-jest.ts';

const help = `npm run prove -- ci [jest's options]

Runs the suites that need a real CI system: a Gitea 1.26, which the first run builds from its Go module (about 8 minutes).
Needs Go and a C compiler. Without them the suites are skipped, and with CI=1 the exit code is then 1.

npm run prove -- ci --record runs many jobs instead, and records the results for docs/proof.md; --record --help lists its
options.
`;

const missing = ['go', 'cc'].filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
const args = process.argv.slice(2);
const isRecorded = process.argv.includes('--record');
if (process.argv.includes('--help') && !isRecorded) {
  process.stdout.write(help);
} else if (missing.length === 0) {
  process.exitCode = isRecorded
    ? (spawnSync(process.execPath, ['test/ci/record.ts', ...args], { cwd: root, stdio: 'inherit' }).status ?? 1)
    : await runJest(['--config', 'test/ci/jest.config.ts', ...args]);
} else {
  const isCi = (process.env['CI'] ?? '') !== '';
  const outcome = isCi ? 'cannot run, and in CI they must' : 'are skipped';
  process.stderr.write(`The tests on a real Gitea ${outcome}: ${missing.join(' and ')} missing\n`);
  process.exitCode = isCi ? 1 : 0;
}
