import { defineConfig } from 'vitest/config';
import { testsVariable } from './judge.ts';

/** Runs jest's own test files: Stryker's jest runner takes no ES modules, and its vitest runner is quicker. */
export default defineConfig({
  resolve: { alias: { '@jest/globals': new URL('jest-globals.ts', import.meta.url).pathname } },
  test: {
    include: (process.env[testsVariable] ?? 'test/unit/functions/**/*.test.ts').split(','),
    // The adapters have services behind them: a mutant of an adapter takes its own tests.
    exclude: process.env[testsVariable]?.includes('functions/adapters') ? [] : ['test/unit/functions/adapters/**'],
    setupFiles: ['test/mutation/fewer-examples.ts'],
    testTimeout: 60_000,
    watch: false,
  },
});
