import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/** The tests against AWS's own programs: `npm run prove -- aws`. */
const config: Config = {
  ...base,
  testMatch: [
    '<rootDir>/test/prove/aws-programs/**/*.test.ts',
    '<rootDir>/test/contract/{jobs,launches,registrations,slots,tokens}.test.ts',
    '<rootDir>/test/unit/adapters/aws/{create-dynamo-launches,create-dynamo-registrations,create-dynamo-tokens,lost-answers}.test.ts',
  ],
};
export default config;
