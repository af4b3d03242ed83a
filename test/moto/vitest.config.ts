import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.ts';

/** The tests that need Python: `npm run test:asl`, `npm run test:template`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/moto/**/*.test.ts'],
    maxWorkers: 1,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
