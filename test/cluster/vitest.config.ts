import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.ts';

/** The end-to-end tests that also run there, from the same files: README.md says which do not, and why. */
const everywhere = ['early-agents', 'launch', 'relaunch', 'sweep', 'terminate'];

/**
 * The tests that need a real Kubernetes: `npm run test:cluster`. One file at a time, because tests break the cluster on
 * purpose.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/cluster/suites/**/*.test.ts', ...everywhere.map((name) => `test/e2e/${name}.test.ts`)],
    globalSetup: ['test/cluster/global-set-up.ts'],
    maxWorkers: 1,
    // Launches within one file run concurrently: they mostly wait.
    maxConcurrency: 24,
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
