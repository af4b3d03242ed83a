import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from 'jest';

// A folder with a configuration of its own needs more than Node.js, and has a command of its own.
const otherSuites = globSync('test/prove/*/jest.config.ts', { cwd: import.meta.dirname }).map(dirname);

/** The settings of every suite. */
export const base: Config = {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/test'],
  cacheDirectory: 'node_modules/.cache/jest',
  watchman: false,
  // Node.js loads the sources itself, as it does outside of tests.
  runner: '<rootDir>/test/support/jest/runner.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/set-up.ts'],
  transform: {},
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  // An end-to-end test uses a third of a processor. Each worker takes seconds of it to load davit.
  maxWorkers: Math.ceil(availableParallelism() * 2.5),
  slowTestThreshold: 10,
  // No test asserts how long something takes: on a busy machine everything takes longer.
  testTimeout: 300_000,
};

/** The tests of `npm test`. */
const config: Config = {
  ...base,
  globalSetup: '<rootDir>/test/support/jest/temporary-folder.ts',
  globalTeardown: '<rootDir>/test/support/jest/remove-temporary-folder.ts',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: otherSuites.map((folder) => `<rootDir>/${folder}/`),
};
export default config;
