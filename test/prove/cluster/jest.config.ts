import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/** The end-to-end tests that also run there, from the same files: README.md says which do not, and why. */
const everywhere = ['early-agents', 'held-pods', 'launch', 'relaunch', 'sweep', 'terminate'];

/**
 * The tests that need a real Kubernetes: `npm run prove -- cluster`. One file at a time, because tests break the cluster on
 * purpose.
 */
const config: Config = {
  ...base,
  testMatch: ['test/prove/cluster/suites/**/*.test.ts', ...everywhere.map((name) => `test/e2e/${name}.test.ts`)].map(
    (glob) => `<rootDir>/${glob}`,
  ),
  globalSetup: '<rootDir>/test/prove/cluster/start-shared-cluster.ts',
  globalTeardown: '<rootDir>/test/prove/cluster/remove-shared-cluster.ts',
  maxWorkers: 1,
  // Launches within one file run concurrently: they mostly wait.
  maxConcurrency: 24,
};
export default config;
