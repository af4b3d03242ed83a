import { fileURLToPath } from 'node:url';
import type { ImageTable } from '../../sandbox/node/image-pull.ts';

/**
 * The sandbox's images: the reference agent, which listens on the AGENT_PORT that its template gives it.
 *
 * @param ciServerUrl where the agent registers after it connects. Without one, it only connects
 */
export function agentImages(ciServerUrl?: string): ImageTable {
  const env: Record<string, string> = ciServerUrl === undefined ? {} : { CI_SERVER_URL: ciServerUrl };
  const command = [process.execPath, fileURLToPath(new URL('./agent.ts', import.meta.url))];
  return { 'davit.dev/reference-agent': { command, env } };
}
