import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootFolder } from '../../cdk/bundling.ts';
import { findAddressFallbacks } from './address-fallbacks.ts';
import type { Check } from './check.ts';

/** `host`, `port`, and every name that ends in one of them: `agentPort`, `hostIP`, `nodePortOf`, `AGENT_PORT`. */
const anyAddress = /^(?:host|port)(?:name|IP)?(?:Of)?$|(?:Host|Port)(?:name|IP)?(?:Of)?$|^podIP$|(?:^|_)(?:HOST|PORT)$/;

/** The parts of an agent's address, by their own names. */
const agentAddress = /(?:nodePort|agentPort|hostIP|podIP)(?:Of)?$/i;

/**
 * Says which names are addresses in a source file. In the functions, the agent and the demo every host and port is one
 * that an agent is reached at. The rest of the local runtime has servers, whose own port may be any that is free. The
 * sandbox cluster is not looked at: it plays Kubernetes, which is where addresses are made.
 *
 * @param path relative to the repository's root, by `/`
 * @returns undefined for a file in which nothing is an address
 */
export function addressNamesIn(path: string): RegExp | undefined {
  if (/^(?:functions|local\/agent|local\/demo)\//.test(path)) return anyAddress;
  return path.startsWith('local/') && !path.startsWith('local/cluster/') ? agentAddress : undefined;
}

/**
 * No host and no port of an agent is made up anywhere: there is no default, no zero and no fallback. A port that was not
 * known, taken for another one, is how agents came to be dialled where nobody listened (QB-4267).
 */
export const noFallbackCheck: Check = {
  name: 'no fallback for a host or a port',
  findings: async () => {
    const findings: string[] = [];
    for await (const found of glob('{functions,local}/**/*.ts', { cwd: rootFolder })) {
      const path = found.replaceAll('\\', '/');
      const names = addressNamesIn(path);
      if (names === undefined) continue;
      const source = await readFile(join(rootFolder, path), 'utf8');
      for (const { line, says } of findAddressFallbacks(source, (name) => names.test(name))) {
        findings.push(`${path}:${line}: ${says}`);
      }
    }
    return findings.sort();
  },
};
