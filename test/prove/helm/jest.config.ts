import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/** The tests of the chart, with the real helm on a real Kubernetes: `npm run prove -- helm`. */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/test/prove/helm/suites/**/*.test.ts'],
  maxWorkers: 1,
};
export default config;
