import base from '../../jest.config.js';

/** The tests that have AWS's own programs as judges: `npm run test:aws`. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: [
    '<rootDir>/test/aws-programs/**/*.test.ts',
    '<rootDir>/test/contract/{jobs,launches,registrations,relaunches,tokens}.test.ts',
    '<rootDir>/test/unit/functions/adapters/aws/{create-dynamo-launches,create-dynamo-registrations,create-dynamo-tokens,lost-answers}.test.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 120_000,
};
