import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { createRunner } from 'jest-light-runner';
import { rootFolder } from '../../../cdk/bundling.ts';
import { writeSettings } from './settings.ts';

// Threads of one process would share the few threads that read files for them.
const LightRunner = createRunner({ runtime: 'child_process' });

type RunTests = Parameters<InstanceType<typeof LightRunner>['runTests']>;

/**
 * Runs test files in processes whose files share their modules: loading davit and its packages takes longer than most
 * tests. Node.js loads the sources itself, as it does outside of tests.
 */
export default class Runner extends LightRunner {
  constructor(...args: ConstructorParameters<typeof LightRunner>) {
    super(...args);
    const [{ testTimeout = 0, maxConcurrency, testNamePattern = '' }] = args;
    writeSettings({ testTimeout, maxConcurrency, testNamePattern });
    // The processes that tests start load the same modules again and again.
    process.env['NODE_COMPILE_CACHE'] ??= `${tmpdir()}/node-compile-cache`;
  }

  /**
   * Starts the end-to-end tests first, since they wait for most of their time, and the unit tests last, since most are so
   * short that all workers end together. A file that declares no test fails: it proves nothing.
   */
  override runTests(...[tests, watcher, onStart, onResult, onFailure, ...options]: RunTests): Promise<void> {
    const sorted = tests.toSorted((one, other) => placeOf(one.path) - placeOf(other.path));
    const onEnd: typeof onResult = (test, result) =>
      result.testResults.length > 0
        ? onResult(test, result)
        : onFailure(test, { message: 'The file declares no test.', stack: '' });
    return super.runTests(sorted, watcher, onStart, onEnd, onFailure, ...options);
  }
}

function placeOf(path: string): number {
  const isIn = (folder: string) => path.startsWith(join(rootFolder, folder, sep));
  if (isIn('test/e2e')) return 0;
  return isIn('test/unit') ? 2 : 1;
}
