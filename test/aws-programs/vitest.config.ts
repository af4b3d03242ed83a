import { defineConfig } from 'vitest/config';
import { base } from '../../vitest.config.ts';

/** The tests against AWS's own programs: `npm run test:aws`. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      'test/aws-programs/**/*.test.ts',
      'test/contract/{jobs,launches,registrations,relaunches,tokens}.test.ts',
      'test/unit/functions/adapters/aws/{create-dynamo-launches,create-dynamo-registrations,create-dynamo-tokens,lost-answers}.test.ts',
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
