/** Runs the suites that need a real Kubernetes: `npm run prove -- cluster`. Arguments are jest's. */
import { runJest } from '../../support/jest/run-jest.ts';
import { describeMissing, missingRequirements } from './programs/requirements.ts';

const help = `npm run prove -- cluster [jest's options]

Runs the suites that need a real Kubernetes, on a temporary cluster. npm run cluster -- --help lists the requirements. If
one is missing, the command names it and runs nothing. With CI=1 the exit code is then 1.
`;

const missing = await missingRequirements();
if (process.argv.includes('--help')) {
  process.stdout.write(help);
} else if (missing.length === 0) {
  process.exitCode = await runJest(['--config', 'test/prove/cluster/jest.config.ts', ...process.argv.slice(2)]);
} else {
  const isCi = (process.env['CI'] ?? '') !== '';
  const outcome = isCi ? 'cannot run, and in CI they must' : 'are skipped';
  process.stderr.write(`The tests on a real Kubernetes ${outcome}:\n${describeMissing(missing)}\n`);
  process.exitCode = isCi ? 1 : 0;
}
