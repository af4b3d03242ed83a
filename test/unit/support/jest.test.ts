import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import { base } from '../../../jest.config.ts';
import { runProcess } from '../../../scripts/run-process.ts';

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ title: z.string(), status: z.string() })),
    }),
  ),
});

/** A test file for each case, by its name. */
const sources = {
  wrong: `
    describe('a sum', () => {
      test('is right', () => expect(1 + 1).toBe(2));
      test('is wrong', () => expect(1 + 1).toBe(3));
    });`,
  hanging: `
    test('hangs', () => new Promise(() => {}));
    test('hangs for less', () => new Promise(() => {}), 100);
    test('ends', () => {});`,
  concurrent: `
    let running = 0;
    let most = 0;
    test.concurrent.each([1, 2, 3, 4, 5])('%i', async (number) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      if (number === 3) throw new Error('it is 3');
    });
    test('two at once', () => expect(most).toBe(2));`,
  broken: `
    describe('a suite', () => {
      beforeAll(() => { throw new Error('no runtime'); });
      beforeEach(() => { throw new Error('not reached'); });
      describe('in it', () => { test('one', () => { throw new Error('not reached'); }); });
    });
    test('another', () => {});`,
  empty: 'export {};',
};

/** What Node.js has compiled for the runs so far. */
let compiled: string;
beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), 'davit-jest-compiled-'));
});
afterAll(() => rm(compiled, { recursive: true }));

/** Runs jest on test files with the house's runner. */
async function runJestOn(files: Record<string, string>, ...options: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'davit-jest-'));
  await using resources = new AsyncDisposableStack();
  resources.defer(() => rm(folder, { recursive: true }));
  for (const [name, source] of Object.entries(files)) await writeFile(join(folder, `${name}.test.ts`), source);
  const config = { ...base, roots: [folder], testMatch: ['**/*.test.ts'], testTimeout: 2000, maxConcurrency: 2 };
  const report = join(folder, 'report.json');
  const jest = ['node_modules/jest/bin/jest.js', '--config', JSON.stringify(config)];
  const args = [...jest, '--json', '--outputFile', report, '--maxWorkers=1', ...options];
  const { exitCode, output } = await runProcess(process.execPath, args, {
    cwd: rootFolder,
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
  });
  const { testResults } = Report.parse(JSON.parse(await readFile(report, 'utf8')));
  const results = new Map(
    testResults.map(({ name, message, assertionResults }) => {
      const tests = assertionResults.map(({ title, status }) => `${title}: ${status}`);
      return [basename(name, '.test.ts'), { tests, message }];
    }),
  );
  return { exitCode, output, results };
}

describe('a run with failures', () => {
  let run: Awaited<ReturnType<typeof runJestOn>>;

  beforeAll(async () => {
    run = await runJestOn(sources);
  });

  test('has the exit code 1, and shows the title, the reason and the line of what failed', () => {
    expect(run.exitCode).toBe(1);
    expect(run.results.get('wrong')?.tests).toEqual(['is right: passed', 'is wrong: failed']);
    expect(run.output).toMatch(/a sum > is wrong\n.*Error: .*Expected: .*3.*Received: .*2.*wrong\.test\.ts\S*:4:/s);
  });

  test('fails a test that has not ended in time, and runs the next one', () => {
    const { tests, message } = run.results.get('hanging') ?? {};

    expect(tests).toEqual(['hangs: failed', 'hangs for less: failed', 'ends: passed']);
    expect(message).toMatch(/it has not ended after 2000 ms.*it has not ended after 100 ms/s);
  });

  test('runs concurrent tests side by side, as many as maxConcurrency allows, each with its own result', () => {
    const { tests, message } = run.results.get('concurrent') ?? {};

    expect(tests).toEqual(['1: passed', '2: passed', '3: failed', '4: passed', '5: passed', 'two at once: passed']);
    expect(message).toContain('it is 3');
  });

  test('fails the tests around which a beforeAll fails, and does not run them', () => {
    const { tests, message } = run.results.get('broken') ?? {};

    expect(tests).toEqual(['(beforeAll): failed', 'one: failed', 'another: passed']);
    expect(message).toContain('no runtime');
    expect(message).not.toContain('not reached');
  });

  test('fails a file that declares no test', () => {
    expect(run.results.get('empty')?.message).toContain('The file declares no test.');
  });
});

test('-t runs the tests that it names, and hooks only around them', async () => {
  const source = `
    describe('slow', () => {
      beforeAll(() => { throw new Error('not reached'); });
      afterAll(() => { throw new Error('not reached'); });
      test('one', () => {});
    });
    const started = [];
    describe('quick', () => {
      beforeAll(() => started.push('all'));
      test.concurrent('one', async () => expect(started).toEqual(['all']));
      test.concurrent('two', async () => started.push('two'));
    });`;

  const { exitCode, results } = await runJestOn({ named: source }, '-t', 'quick one');

  expect(exitCode).toBe(0);
  expect(results.get('named')?.tests).toEqual(['one: pending', 'one: passed', 'two: pending']);
});

test('each of many workers that start at once runs its files, and the run ends', async () => {
  const names = Array.from({ length: 24 }, (_, index) => `file${index}`);
  const files = Object.fromEntries(names.map((name) => [name, "test('passes', () => {});"]));

  const { exitCode, results } = await runJestOn(files, '--maxWorkers=12');

  expect(exitCode).toBe(0);
  expect([...results.keys()].toSorted()).toEqual(names.toSorted());
});
