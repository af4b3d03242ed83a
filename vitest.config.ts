import { globSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';

// A folder with a configuration of its own needs more than Node.js, and has a command of its own.
const otherSuites = globSync('test/*/vitest.config.ts', { cwd: import.meta.dirname }).map(dirname);

/** The settings of every suite. */
export const base = defineConfig({
  root: import.meta.dirname,
  test: {
    // The files of a worker share its modules: loading davit and its packages takes longer than most tests.
    isolate: false,
    // Node.js loads the sources itself, as it does outside of tests: Vite needs twice the processor time.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // One more than there are processors: end-to-end tests wait for much of their time.
    maxWorkers: availableParallelism() + 1,
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
    include: ['test/**/*.test.ts'],
    exclude: otherSuites.map((folder) => `${folder}/**`),
  },
});
