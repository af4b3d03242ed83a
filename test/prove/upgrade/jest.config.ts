import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/** The tests on a recording of the version before: `npm run prove -- upgrade`. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/test/prove/upgrade/**/*.test.ts'],
};
export default config;
