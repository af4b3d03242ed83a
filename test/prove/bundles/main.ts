/**
 * Tests what is deployed: synthesises the stack, extracts the functions' bundles, and runs the end-to-end suite on them, and the suites
 * of this folder. Each function runs in clean processes, from a folder with no package in reach, with the environment of
 * the template.
 *
 *     node test/prove/bundles/main.ts [--quick] [--tests PATTERN] [--help]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rootFolder } from '../../../cdk/bundling.ts';
import { readConfig } from '../../../core/config/read-config.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { isolateBundles } from '../../support/aws/bundles/isolate-bundles.ts';
import type { LocalServices } from '../../support/aws/runtime/function-environment.ts';
import { packagesInReach } from './packages-in-reach.ts';

const usage = `npm run prove -- bundles [options]

Synthesises the stack, takes the functions' bundles out of it, and runs the end-to-end suite on them, each function in clean processes with its template's environment. Exit code 0 only if all of it passes.

  --tests PATTERN   the test files, as jest takes them (default all, without those of the local runtime and the CLI)
  --quick           only the files that together call each function
  --help            this text
`;

/** Any addresses of a runtime's services. */
const anyServices: LocalServices = {
  configFile: '',
  launchesTable: 'davit-launches',
  tokensTable: 'davit-tokens',
  jobsTable: 'davit-jobs',
  clustersTable: 'davit-clusters',
  stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:davit-launch',
  installationId: '0a1b2c3d',
  credentialKeySecret: 'davit-credential-key',
  publicUrl: 'http://127.0.0.1:8080',
  secretAccessKey: '',
  dynamoDbUrl: 'http://127.0.0.1:1',
  stepFunctionsUrl: 'http://127.0.0.1:2',
  lambdaUrl: 'http://127.0.0.1:3',
  secretsManagerUrl: 'http://127.0.0.1:4',
  eventBridgeUrl: 'http://127.0.0.1:5',
};

/** Runs one of the repository's programs with its output shown. @returns whether it succeeded */
async function succeeds(what: string, args: readonly string[], env: Record<string, string> = {}): Promise<boolean> {
  process.stdout.write(`\n--- ${what}\n`);
  const startedMs = performance.now();
  const child = spawn(process.execPath, args, { cwd: rootFolder, stdio: 'inherit', env: { ...process.env, ...env } });
  const [exitCode] = await once(child, 'exit');
  const tookSeconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stdout.write(`${exitCode === 0 ? '✓' : '✗'} ${what}: ${tookSeconds} s\n`);
  return exitCode === 0;
}

/** Tries to load packages where the functions run. @returns whether none could be loaded */
async function isAlone(stackFolder: string): Promise<boolean> {
  await using isolated = await isolateBundles(stackFolder, await readConfig(join(rootFolder, 'davit.yaml')));
  const functions = isolated.functions(anyServices);
  const packages = Object.keys(packageJson.dependencies);
  process.stdout.write(`\n--- alone: none of ${packages.length} packages is to be in reach of a function\n`);
  let isGood = true;
  for (const [name, definition] of Object.entries(functions)) {
    const reached = await packagesInReach(definition, packages);
    process.stdout.write(`${reached === '' ? '✓' : '✗'} ${name} ${reached.replaceAll('\n', ' ')}\n`);
    isGood &&= reached === '';
  }
  return isGood;
}

/** The tests of davit's own process and of the CLI, which have no bundles. */
const ofOtherParts = ['cli', 'sweep', 'virtual-node'];

/** The tests that together call each function. A bundle can break its imports, its environment and its permissions. */
const quickTests = [
  ...['clusters', 'launch', 'queued-jobs', 'relaunch', 'terminate', 'warm-agents'].map(
    (name) => `test/e2e/${name}.test.ts`,
  ),
  'test/prove/bundles/suites',
];

/** Runs every part, even after a failure. @returns whether all passed */
async function prove(tests: readonly string[]): Promise<boolean> {
  const stackFolder = await mkdtemp(join(tmpdir(), 'davit-cdk-out-'));
  try {
    const cdk = ['node_modules/aws-cdk/bin/cdk', 'synth', '--quiet', '--output', stackFolder];
    if (!(await succeeds('synthesise, with the bundles', cdk))) return false;
    const excluded = `--testPathIgnorePatterns=test/e2e/(${ofOtherParts.join('|')})\\.test\\.ts$`;
    // A process for each function of a file keeps the processors busy: the tests wait less than on the sources.
    const workers = `--maxWorkers=${availableParallelism() + 1}`;
    // The patterns come last: jest takes every word after them for one more.
    const config = ['--config', 'test/prove/bundles/jest.config.ts'];
    const jest = ['node_modules/jest/bin/jest.js', ...config, workers, ...tests, excluded];
    return [
      await isAlone(stackFolder),
      await succeeds(`${tests.join(' ')}, on the bundles`, jest, { DAVIT_TEST_BUNDLES: stackFolder }),
      await succeeds('a burst, on the sources', ['node_modules/jest/bin/jest.js', ...config, 'suites/burst.test.ts']),
    ].every(Boolean);
  } finally {
    await rm(stackFolder, { recursive: true, force: true });
  }
}

const { values } = parseArgs({
  options: {
    tests: { type: 'string', default: '.test.ts' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(usage);
else process.exitCode = (await prove(values.quick ? quickTests : [values.tests])) ? 0 : 1;
