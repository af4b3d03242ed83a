/** Types for the used parts of jest-light-runner, which has none. */
declare module 'jest-light-runner' {
  import type { CallbackTestRunner } from 'jest-runner';

  class LightRunner {
    constructor(...args: ConstructorParameters<typeof CallbackTestRunner>);
    runTests(...args: Parameters<CallbackTestRunner['runTests']>): Promise<void>;
  }

  /** A runner whose workers are processes or threads; with one worker, it runs in jest's own process. */
  export function createRunner(options: { runtime: 'child_process' | 'worker_threads' }): typeof LightRunner;
}
