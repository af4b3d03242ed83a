import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/** The tests that need Python: `npm run prove -- asl`, `npm run prove -- template`. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/test/prove/moto/**/*.test.ts'],
  maxWorkers: 1,
};
export default config;
