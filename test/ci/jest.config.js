import base from '../../jest.config.js';

/** The tests that need a real Gitea: `npm run test:ci`. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/ci/suites/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  // Seeds of one file: most of a seed is waiting.
  maxConcurrency: 5,
  // The first run builds Gitea.
  testTimeout: 1_200_000,
};
