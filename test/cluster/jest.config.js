import base from '../../jest.config.js';

/** The tests that need a real Kubernetes: `npm run test:cluster`. One at a time, as they break it on purpose. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/cluster/suites/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/cluster/global-set-up.ts',
  globalTeardown: '<rootDir>/test/cluster/global-tear-down.ts',
  maxWorkers: 1,
  // Launches of one file: most of a failure is waiting.
  maxConcurrency: 24,
  testTimeout: 120_000,
};
