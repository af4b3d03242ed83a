import { join, sep } from 'node:path';
import type { TestResult } from '@jest/test-result';
import type { CallbackTestRunner } from 'jest-runner';
import { Tinypool } from 'tinypool';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import { writeSettings } from './settings.ts';
import type { Work } from './worker.ts';

type Options = ConstructorParameters<typeof CallbackTestRunner>[0];
type RunTests = Parameters<CallbackTestRunner['runTests']>;

const Failure = z.object({ message: z.string(), stack: z.string().default('') });

/**
 * Runs test files in processes whose files share their modules: loading davit and its packages takes longer than most
 * tests, and threads of one process would share the few threads that read files for them. Node.js loads the sources
 * itself, as it does outside of tests.
 */
export default class Runner {
  readonly #globalConfig: Options;

  constructor(globalConfig: Options) {
    this.#globalConfig = globalConfig;
    const { testTimeout = 0, maxConcurrency, testNamePattern = '' } = globalConfig;
    writeSettings({ testTimeout, maxConcurrency, testNamePattern });
    // The workers, and the processes that tests start, load the same modules again and again.
    process.env['NODE_COMPILE_CACHE'] ??= join(rootFolder, 'node_modules/.cache/davit');
  }

  /**
   * Starts the end-to-end tests first, since they wait for most of their time. Meanwhile two workers of five run the others,
   * so that the processors are busy; the unit tests come last, since most are so short that all workers end together. A file
   * that declares no test fails: it proves nothing.
   */
  async runTests(...[tests, _watcher, onStart, onResult, onFailure]: RunTests): Promise<void> {
    const globalConfig = this.#globalConfig;
    const workers = Math.min(globalConfig.maxWorkers, tests.length);
    const pool = new Tinypool({
      filename: new URL('worker.ts', import.meta.url).href,
      runtime: 'child_process',
      minThreads: workers,
      maxThreads: workers,
      env: Object.fromEntries(Object.entries(process.env).map(([name, value = '']) => [name, value])),
    });
    const run = async (test: RunTests[0][number]) => {
      await onStart(test);
      const workerData = { globalConfig, projectConfig: test.context.config, runtime: 'child_process' };
      const work: Work = { path: test.path, workerData };
      try {
        const result: TestResult = await pool.run(work);
        if (result.testResults.length === 0) throw new Error('The file declares no test.');
        await onResult(test, result);
      } catch (error) {
        await onFailure(test, failureOf(error));
      }
    };
    const inOrder = tests.toSorted((one, other) => placeOf(one.path) - placeOf(other.path));
    const waiting = inOrder.filter(({ path }) => placeOf(path) === 0).values();
    const computing = inOrder.filter(({ path }) => placeOf(path) > 0).values();
    const runQueues = async (_: unknown, worker: number) => {
      const isComputing = worker % 5 > 2;
      for (const test of isComputing ? computing : waiting) await run(test);
      for (const test of isComputing ? waiting : computing) await run(test);
    };
    try {
      await Promise.all(Array.from({ length: workers }, runQueues));
    } finally {
      await pool.destroy();
    }
  }
}

/** An error of a worker arrives as an object with the error's fields. */
function failureOf(error: unknown): z.output<typeof Failure> {
  const { success, data } = Failure.safeParse(error);
  return success ? data : { message: String(error), stack: '' };
}

function placeOf(path: string): number {
  const isIn = (folder: string) => path.startsWith(join(rootFolder, folder, sep));
  if (isIn('test/e2e')) return 0;
  return isIn('test/unit') ? 2 : 1;
}
