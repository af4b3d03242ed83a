import { AsyncLocalStorage } from 'node:async_hooks';
import type { FunctionStart } from './worker-protocol.ts';

interface Running {
  start: FunctionStart;
  isLoading: boolean;
}

const running = new AsyncLocalStorage<Running>();

/** Runs a part of a function's work, with the function's own `process.env` and output. */
export function runAs<Result>(start: FunctionStart, work: () => Result): Result {
  return running.run({ start, isLoading: false }, work);
}

/** Loads a function's module, with the function's own `process.env` and output. */
export async function loadAs<Result>(start: FunctionStart, load: () => Promise<Result>): Promise<Result> {
  const loading = { start, isLoading: true };
  try {
    return await running.run(loading, load);
  } finally {
    loading.isLoading = false;
  }
}

/**
 * Gives each function of this thread its own `process.env`. Code outside of any function sees only the variables that all
 * functions share.
 *
 * Functions share the modules that they import. If a shared module reads a variable that differs between functions while
 * it loads, every function would get the value of the first. So this throws an error that names the variable.
 */
export function separateEnvironments(functions: readonly FunctionStart[]): void {
  const common = commonVariables(functions);
  const environment = (): Readonly<Record<string, string>> => running.getStore()?.start.env ?? common;
  process.env = new Proxy<NodeJS.ProcessEnv>(
    {},
    {
      get: (_, name) => {
        const value = Reflect.get(environment(), name);
        if (value !== undefined && running.getStore()?.isLoading && !Object.hasOwn(common, name)) refuseIfShared(name);
        return value;
      },
      has: (_, name) => Reflect.has(environment(), name),
      ownKeys: () => Reflect.ownKeys(environment()),
      getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(environment(), name),
    },
  );
}

/** Sends what is written to stdout and stderr to `write`, with the name of the function that writes it. */
export function separateOutput(write: (text: string, functionName: string | undefined) => void): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
      write(Buffer.from(chunk).toString(), running.getStore()?.start.functionName);
      for (const done of rest) if (typeof done === 'function') done();
      return true;
    };
  }
}

function commonVariables(functions: readonly FunctionStart[]): Readonly<Record<string, string>> {
  const [first] = functions;
  const entries = Object.entries(first?.env ?? {});
  return Object.fromEntries(entries.filter(([name, value]) => functions.every(({ env }) => env[name] === value)));
}

/** A function's own module is the last one on the stack while it loads; a shared module has nothing below itself. */
function refuseIfShared(variable: string | symbol): void {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Number.POSITIVE_INFINITY;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  const frames = stack.split('\n').filter((frame) => /^ +at (?!async )/.test(frame) && !frame.includes('node:'));
  const loading = frames.at(-1)?.trim() ?? '';
  if (loading.includes(`${running.getStore()?.start.moduleUrl}:`)) return;
  throw new Error(`a module that functions share reads ${String(variable)} while it loads: ${loading}`);
}
