import type { FunctionHost } from './function-host.ts';

/**
 * Makes one host of several: one of those that have a function runs each of its invocations.
 *
 * @param choose the index of the host for the next invocation, if that one has the function
 */
export function mixHosts(hosts: readonly [FunctionHost, ...FunctionHost[]], choose: () => number): FunctionHost {
  const [first] = hosts;
  const all = async (act: (host: FunctionHost) => Promise<void>) => void (await Promise.all(hosts.map(act)));
  return {
    warm: () => all((host) => host.warm()),
    has: (functionName) => hosts.some((host) => host.has(functionName)),
    invoke: (functionName, event) => {
      const able = [hosts[choose()], ...hosts].find((host) => host?.has(functionName));
      return (able ?? first).invoke(functionName, event);
    },
    killWorker: (functionName) => all((host) => host.killWorker(functionName)),
    stop: () => all((host) => host.stop()),
    [Symbol.asyncDispose]: () => all((host) => host.stop()),
  };
}
