/** Runs the suites that need a real CI system: `npm run prove -- ci`. Arguments are jest's. */
import { spawnSync } from 'node:child_process';
import { runJest } from '../../support/jest/run-jest.ts';
import { root } from '../cluster/run.ts';

const help = `npm run prove -- ci [jest's options]

Runs the suites that need a real CI system:
- a Gitea 1.26, which the first run builds from its Go module (about 8 minutes). Needs Go and a C compiler.
- a Hudson 3.3.2, Jenkins' ancestor, which the first run fetches from Maven Central (31 MB). Needs Linux, a JDK, Maven, and
  the right to make a network namespace.
- Buildkite's own agent, which the first run builds from its Go module (about 5 minutes), on a fake of Buildkite. Needs Go.
Suites whose programs are missing are skipped, and with CI=1 the exit code is then 1.

npm run prove -- ci suites/hudson runs the suites of Hudson only.
npm run prove -- ci --record runs many jobs instead, and records the results for docs/proof.md; --record --help lists its
options.
`;

/** The servers, the programs that they need, and a pattern of their suites. */
const servers = [
  { name: 'Gitea', programs: ['go', 'cc'], suites: 'test/prove/ci/suites/(?!hudson)' },
  { name: 'Hudson', programs: ['java', 'javac', 'jar', 'mvn', 'unshare', 'ip'], suites: 'test/prove/ci/suites/hudson' },
];

const args = process.argv.slice(2);
const isRecorded = args.includes('--record');
if (args.includes('--help') && !isRecorded) process.stdout.write(help);
else process.exitCode = await runSuites();

async function runSuites(): Promise<number> {
  const lacking = servers.map((server) => ({ ...server, missing: server.programs.filter(isMissing) }));
  const skipped = lacking.filter(({ missing }) => missing.length > 0);
  const isCi = (process.env['CI'] ?? '') !== '';
  for (const { name, missing } of skipped) {
    const outcome = isCi ? 'cannot run, and in CI they must' : 'are skipped';
    process.stderr.write(`The tests on a real ${name} ${outcome}: ${missing.join(' and ')} missing\n`);
  }
  if (skipped.length > 0 && isCi) return 1;
  if (isRecorded) return skipped.some(({ name }) => name === 'Gitea') ? 0 : record();
  if (skipped.length === servers.length) return 0;
  const ignored = skipped.map(({ suites }) => `--testPathIgnorePatterns=${suites}`);
  return runJest(['--config', 'test/prove/ci/jest.config.ts', ...args, ...ignored]);
}

function record(): number {
  return spawnSync(process.execPath, ['test/prove/ci/record.ts', ...args], { cwd: root, stdio: 'inherit' }).status ?? 1;
}

function isMissing(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0;
}
