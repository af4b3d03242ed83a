import base from '../../../jest.config.js';

/** The state machine on moto's interpreter: `npm run test:asl`. */
export default {
  ...base,
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/moto/asl/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 300_000,
};
