import base from '../../jest.config.js';

/** The end-to-end tests that run there too, from the same files: README.md says which do not, and why. */
const everywhere = ['early-agents', 'launch', 'relaunch', 'sweep', 'terminate'];

/** The tests that need a real Kubernetes: `npm run test:cluster`. One at a time, as they break it on purpose. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: [
    '<rootDir>/test/cluster/suites/**/*.test.ts',
    ...everywhere.map((name) => `<rootDir>/test/e2e/${name}.test.ts`),
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/cluster/global-set-up.ts',
  globalTeardown: '<rootDir>/test/cluster/global-tear-down.ts',
  maxWorkers: 1,
  // Launches of one file: most of a failure is waiting.
  maxConcurrency: 24,
  testTimeout: 240_000,
};
