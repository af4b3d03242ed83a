import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.ts';

/** The tests that need a real Gitea: `npm run test:ci`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/ci/suites/**/*.test.ts'],
    maxWorkers: 1,
    // Seeds within one file run concurrently: they mostly wait.
    maxConcurrency: 5,
    // The first run builds Gitea.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
  },
});
