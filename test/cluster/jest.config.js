import base from '../../jest.config.js';

/**
 * The end-to-end tests that run there too, from the same files. Of the others,
 * - early-agents, eks, failures, kill-*, outages, relaunch, restart-kubeconfig, sweep, terminate, virtual-node and
 *   watches need a cluster that fails, waits and lies when it is told to: the sandbox. suites/ has the like of them by
 *   what a real cluster does by itself, and `npm run chaos` the kills;
 * - command-line and restart are about a davit that starts a sandbox of its own;
 * - least-privilege, rotation, rubbish*, secrets, tracing and watching* are about doors that no cluster is behind.
 */
const everywhere = ['launch', 'webhooks'];

/** The tests that need a real Kubernetes: `npm run test:cluster`. One at a time, as they break it on purpose. */
export default {
  ...base,
  rootDir: '../..',
  testMatch: [
    '<rootDir>/test/cluster/suites/**/*.test.ts',
    ...everywhere.map((name) => `<rootDir>/test/e2e/${name}.test.ts`),
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  globalSetup: '<rootDir>/test/cluster/global-set-up.ts',
  globalTeardown: '<rootDir>/test/cluster/global-tear-down.ts',
  maxWorkers: 1,
  // Launches of one file: most of a failure is waiting.
  maxConcurrency: 24,
  testTimeout: 240_000,
};
