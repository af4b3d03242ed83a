import type { FunctionHost } from './function-host.ts';

/**
 * Makes one host of several that have the same functions: one of them runs each invocation.
 *
 * @param choose the index of the host for the next invocation
 */
export function mixHosts(hosts: readonly [FunctionHost, ...FunctionHost[]], choose: () => number): FunctionHost {
  const [first] = hosts;
  const all = async (act: (host: FunctionHost) => Promise<void>) => void (await Promise.all(hosts.map(act)));
  return {
    warm: () => all((host) => host.warm()),
    has: (functionName) => first.has(functionName),
    invoke: (functionName, event) => (hosts[choose()] ?? first).invoke(functionName, event),
    killWorker: (functionName) => all((host) => host.killWorker(functionName)),
    stop: () => all((host) => host.stop()),
    [Symbol.asyncDispose]: () => all((host) => host.stop()),
  };
}
