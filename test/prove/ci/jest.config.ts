import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/** The tests that need a real Gitea or Hudson: `npm run prove -- ci`. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/test/prove/ci/suites/**/*.test.ts'],
  maxWorkers: 1,
  // Seeds within one file run concurrently: they mostly wait.
  maxConcurrency: 5,
  // The first run builds Gitea.
  testTimeout: 1_200_000,
};
export default config;
