import base from '../../jest.config.js';

/** The tests that need Python: `npm run test:asl`, `npm run test:template`. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/moto/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 300_000,
};
