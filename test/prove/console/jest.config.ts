import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/** The tests that need a real browser: `npm run prove -- console`. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/test/prove/console/suites/**/*.test.ts'],
  maxWorkers: 1,
};
export default config;
