import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.ts';

/** The tests that need a real browser: `npm run test:console`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/console/suites/**/*.test.ts'],
    maxWorkers: 1,
    // A busy machine needs more time.
    expect: { poll: { timeout: 60_000 } },
  },
});
