import { registerHooks } from 'node:module';

/** The imports of Kubernetes' client for features that davit refuses, by package: see read-kubeconfig.ts. */
const unusedPackages: Readonly<Record<string, readonly string[]>> = {
  hpagent: ['HttpProxyAgent', 'HttpsProxyAgent'],
  'isomorphic-ws': ['default'],
  'jsonpath-plus': ['JSONPath'],
  'openid-client': ['default'],
  socks: ['SocksClient'],
  'socks-proxy-agent': ['SocksProxyAgent'],
  'stream-buffers': ['WritableStreamBuffer'],
  'tar-fs': ['default'],
};

/** The only API of the client that functions call. */
const usedApi = 'CoreV1Api';

/**
 * Makes this thread load Kubernetes' client without the packages and APIs that no function uses, as the bundles do. They
 * would take a fifth of the client's loading time. A program calls it, before the first import of the client.
 */
export function leaveOutUnused(): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const names = context.parentURL?.includes('/@kubernetes/client-node/') ? unusedNames(specifier) : undefined;
      return names === undefined
        ? nextResolve(specifier, context)
        : { url: moduleOf(names), format: 'module', shortCircuit: true };
    },
  });
}

function unusedNames(specifier: string): readonly string[] | undefined {
  const [, api] = /^\.\.\/apis\/(\w+Api)\.js$/.exec(specifier) ?? [];
  if (api === undefined) return unusedPackages[specifier];
  return api === usedApi ? undefined : [`${api}RequestFactory`, `${api}ResponseProcessor`];
}

/** Returns the URL of a module whose exports are undefined. */
function moduleOf(names: readonly string[]): string {
  const exported = names.map((name) => `nothing as ${name}`).join(', ');
  return `data:text/javascript,${encodeURIComponent(`const nothing = undefined; export { ${exported} };`)}`;
}
