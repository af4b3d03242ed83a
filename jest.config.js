/** Jest as ES modules: swc strips the types, nothing else is changed. */
export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/cluster/', '<rootDir>/test/moto/'],
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
  // Node keeps what an ES module's context has loaded, so a process that runs many files grows, and slows to a tenth on
  // its garbage: one that has grown is ended, and another goes on.
  maxWorkers: '100%',
  workerIdleMemoryLimit: '1GB',
  // Nothing is asserted of how long anything takes: a busy machine has its time.
  testTimeout: 30_000,
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/dist'],
};
