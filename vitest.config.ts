import { globSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// A folder with a configuration of its own needs more than Node.js, and has a command of its own.
const otherSuites = globSync('test/*/vitest.config.ts', { cwd: import.meta.dirname }).map(dirname);

/**
 * Starts the end-to-end tests first, since they wait for most of their time, and the unit tests last, since most are so
 * short that all workers end together.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const isIn = (folder: string) => moduleId.startsWith(join(import.meta.dirname, folder, sep));
  if (isIn('test/e2e')) return 0;
  return isIn('test/unit') ? 2 : 1;
}

/** The settings of every suite. */
export const base = defineConfig({
  root: import.meta.dirname,
  test: {
    // The files of a worker share its modules: loading davit and its packages takes longer than most tests.
    isolate: false,
    // Node.js loads the sources itself, as it does outside of tests: Vite needs twice the processor time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // An end-to-end test uses a third of a processor.
    maxWorkers: availableParallelism() * 3,
    sequence: { sequencer: LongestFirst },
    slowTestThreshold: 10_000,
    // No test asserts how long something takes: on a busy machine everything takes longer.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // The processes that tests start load the same modules again and again.
    env: { NODE_COMPILE_CACHE: `${tmpdir()}/node-compile-cache` },
    watch: false,
  },
});

/** The tests of `npm test`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    globalSetup: 'test/support/temporary-folder.ts',
    include: ['test/**/*.test.ts'],
    exclude: otherSuites.map((folder) => `${folder}/**`),
  },
});
