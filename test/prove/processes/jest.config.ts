import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/** The tests of davit as processes: `npm run prove -- processes`. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/test/prove/processes/*.test.ts'],
  globalSetup: '<rootDir>/test/support/jest/temporary-folder.ts',
  globalTeardown: '<rootDir>/test/support/jest/remove-temporary-folder.ts',
};
export default config;
