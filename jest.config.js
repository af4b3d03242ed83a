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
  // Nothing is asserted of how long anything takes: a busy machine has its time.
  testTimeout: 30_000,
  modulePathIgnorePatterns: ['<rootDir>/cdk.out', '<rootDir>/dist'],
};
