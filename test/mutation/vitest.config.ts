import { defineConfig } from 'vitest/config';
import { testsVariable } from './judge.ts';

/** The tests that judge mutants. */
export default defineConfig({
  test: {
    include: (process.env[testsVariable] ?? 'test/unit/functions/**/*.test.ts').split(','),
    // The adapters need services: a mutant of an adapter runs its own tests.
    exclude: process.env[testsVariable]?.includes('functions/adapters') ? [] : ['test/unit/functions/adapters/**'],
    setupFiles: ['test/mutation/fewer-examples.ts'],
    // The files of a run share their modules, as in `npm test`: loading them takes longer than most tests.
    isolate: false,
    testTimeout: 60_000,
    watch: false,
  },
});
