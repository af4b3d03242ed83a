import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere } from '../../cluster/is-there.ts';
import { root, run } from '../../cluster/run.ts';

const agentModule = 'github.com/buildkite/agent/v3@v3.78.0';
/** Git-ignored, beside the other programs that the tests build. */
const builtDirectory = join(root, '.davit-cluster');

/**
 * Builds Buildkite's own agent from its Go module. The first build takes about 5 minutes on two processors; later calls use
 * the cache.
 *
 * @returns the folder of the program `buildkite-agent`
 * @throws Error with the compiler's output
 */
export async function buildBuildkiteAgent(onProgress: (text: string) => void): Promise<string> {
  const hash = createHash('sha256').update(agentModule).digest('hex').slice(0, 16);
  const directory = join(builtDirectory, `buildkite-agent-${hash}`);
  if (await isThere(directory)) return directory;
  onProgress("builds Buildkite's agent from its sources: about 5 minutes of two processors, once");
  await mkdir(builtDirectory, { recursive: true });
  const partial = await mkdtemp(`${directory}-`);
  await run('go', ['install', agentModule], { GOBIN: partial });
  await rename(join(partial, 'agent'), join(partial, 'buildkite-agent'));
  await rename(partial, directory);
  return directory;
}
