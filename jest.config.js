import { globSync } from 'node:fs';
import { dirname } from 'node:path';

// A folder with a configuration of its own needs more than Node.js, and has a command of its own.
const otherSuites = globSync('test/*/jest.config.js', { cwd: import.meta.dirname }).map(dirname);

/** Jest runs ES modules: swc strips the types and changes nothing else. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', ...otherSuites.map((folder) => `<rootDir>/${folder}/`)],
  reporters: ['default', '<rootDir>/test/support/failures-reporter.ts'],
  setupFiles: ['<rootDir>/test/support/node-errors.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024', experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
      },
    ],
  },
  maxWorkers: '100%',
  // Node never frees the ES modules of a test file's context, so a worker grows from file to file, until it does little
  // but collect garbage. Jest ends a worker that is larger than this, and starts another.
  workerIdleMemoryLimit: '1GB',
  // No test asserts how long something takes: on a busy machine everything takes longer.
  testTimeout: 30_000,
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/dist', '<rootDir>/.stryker-tmp'],
};
