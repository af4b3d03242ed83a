import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { giteaPreset } from '../../ci/gitea/preset.ts';
import type { ImageTable } from '../../sandbox/node/image-pull.ts';

/** Starts the reference agent in a process of this machine. */
export const agentCommand: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL('./agent.ts', import.meta.url)),
];

/** Starts it in a container of its image, which has this machine's Node. */
export const containerCommand: readonly string[] = [process.execPath, '/agent.mjs'];

/**
 * The sandbox's images: the reference agent, which listens on the AGENT_PORT that its template gives it.
 *
 * @param ciServerUrl where the agent registers after it connects. Without one, it only connects
 */
export function agentImages(ciServerUrl?: string): ImageTable {
  // An agent takes half of its processor time to compile its modules. Containers share no environment with this process.
  const cache = { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
  const env: Record<string, string> = {
    ...cache,
    ...(ciServerUrl === undefined ? {} : { CI_SERVER_URL: ciServerUrl }),
  };
  return { 'davit.dev/reference-agent': { command: agentCommand, env } };
}

/**
 * The sandbox's image of Gitea's runner, if this machine has the program `act_runner`. Its jobs run on this machine.
 *
 * @param searchPath directories as in PATH
 */
export function runnerImages(searchPath: string): ImageTable {
  if (!searchPath.split(delimiter).some((folder) => isProgram(join(folder, 'act_runner')))) return {};
  return { [giteaPreset.image]: { command: ['act_runner'] } };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
