/** Runs test files in a process of the runner's pool, by jest-light-runner. */
import { flushCompileCache, registerHooks } from 'node:module';
import type { TestResult } from '@jest/test-result';
import { noteCost } from './note-cost.ts';

/** A test file, and jest's options for it. */
export interface Work {
  path: string;
  workerData: object;
}

type RunFile = (path: string) => Promise<TestResult>;

let runFile: Promise<RunFile> | undefined;

/**
 * Runs a test file. jest-light-runner would ask the main process for the options. When several processes ask at once, an
 * answer may reach one that does not listen yet, which then waits for ever. It asks for nothing that it finds here.
 */
export default async function run({ path, workerData }: Work): Promise<TestResult> {
  runFile ??= load(workerData);
  const runLoaded = await runFile;
  importByOneName();
  try {
    return await noteCost(path, () => runLoaded(path));
  } finally {
    // Node.js writes its cache when a process exits, and a worker is killed. The processes that tests start read it, too.
    flushCompileCache();
  }
}

/**
 * Takes the time off the name by which jest-light-runner imports the next test file: the compile cache would keep the file
 * of each run. A process runs a file once.
 */
function importByOneName(): void {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const [, name] = /^(file:.*\.test\.tsx?)\?\d+$/.exec(specifier) ?? [];
      if (name !== undefined) hooks.deregister();
      return next(name ?? specifier, context);
    },
  });
}

async function load(workerData: object): Promise<RunFile> {
  Object.assign(Reflect.get(process, '__tinypool_state__') ?? {}, { workerData });
  const { default: loaded }: { default: RunFile } = await import(
    new URL('worker-runner.js', import.meta.resolve('jest-light-runner')).href
  );
  return loaded;
}
