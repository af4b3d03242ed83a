import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { presets } from '../../core/agent/runner-preset.ts';
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
 * The sandbox's images of CI systems' runners whose program this machine has. Their jobs run on this machine.
 *
 * @param searchPath directories as in PATH
 */
export function runnerImages(searchPath: string): ImageTable {
  const isThere = (program: string) => searchPath.split(delimiter).some((folder) => isProgram(join(folder, program)));
  return Object.fromEntries(
    Object.values(presets).flatMap(({ image, program }) =>
      program !== undefined && isThere(program) ? [[image, { command: [program] }]] : [],
    ),
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
