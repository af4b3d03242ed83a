import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { functionFolders, rootFolder } from '../../cdk/bundling.ts';
import { findAddressFallbacks } from './address-fallbacks.ts';
import type { Check } from './check.ts';

/** `host`, `port`, and every name that ends in one of them: `agentPort`, `hostIP`, `nodePortOf`, `AGENT_PORT`. */
const anyAddress = /^(?:host|port)(?:name|IP)?(?:Of)?$|(?:Host|Port)(?:name|IP)?(?:Of)?$|^podIP$|(?:^|_)(?:HOST|PORT)$/;

/** The parts of an agent's address, by their own names. */
const agentAddress = /(?:nodePort|agentPort|hostIP|podIP)(?:Of)?$/i;

const agentFolders = [...functionFolders, 'local/agent', 'local/demo'];

/**
 * Returns which names are addresses in a source file. In the functions, the agent and the demo, every host and port is an
 * agent's. Elsewhere the local runtime has servers of its own, which may listen on any free port. The check skips the
 * sandbox cluster: it plays Kubernetes, which allocates addresses.
 *
 * @param path relative to the repository's root, with `/`
 * @returns undefined for a file in which nothing is an address
 */
export function addressNamesIn(path: string): RegExp | undefined {
  if (agentFolders.some((folder) => path.startsWith(`${folder}/`))) return anyAddress;
  return path.startsWith('local/') && !path.startsWith('sandbox/') ? agentAddress : undefined;
}

/**
 * No code invents an agent's host or port: there is no default, no zero and no fallback. QB-4267 took an unknown port for
 * another one, and dialled agents where nothing listened.
 */
export const noFallbackCheck: Check = {
  name: 'no fallback for a host or a port',
  findings: async () => {
    const findings: string[] = [];
    for await (const found of glob(`{${functionFolders.join()},local}/**/*.ts`, { cwd: rootFolder })) {
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
