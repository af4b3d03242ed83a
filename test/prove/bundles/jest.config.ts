import type { Config } from 'jest';
import { base } from '../../../jest.config.ts';

/**
 * The tests of what is deployed: `npm run prove -- bundles`. Beside the end-to-end tests of `npm test`, most of which need no
 * AWS, it has suites that do: alarms, secrets, rights, registrations, killed functions, bursts, and the
 * emulator of Lambda itself. Run by jest alone, they run on the sources.
 */
const config: Config = {
  ...base,
  testMatch: ['<rootDir>/test/e2e/**/*.test.ts', '<rootDir>/test/prove/bundles/suites/**/*.test.ts'],
  globalSetup: '<rootDir>/test/support/jest/temporary-folder.ts',
  globalTeardown: '<rootDir>/test/support/jest/remove-temporary-folder.ts',
};
export default config;
