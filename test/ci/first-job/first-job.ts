import { join } from 'node:path';
import { rootFolder } from '../../../cdk/bundling.ts';
import { until } from '../../cluster/until.ts';
import { commandsIn, type ShellBlock, shellBlocks } from '../../support/shell-blocks.ts';
import type { GiteaClient } from '../gitea/gitea-client.ts';

const jobMs = 120_000;
const blocks = shellBlocks(join(rootFolder, 'docs/gitea.md')).filter(({ heading }) => heading === 'On this machine');

function blockWith(words: string): ShellBlock {
  const found = blocks.filter(({ text }) => text.includes(words));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} blocks of docs/gitea.md have ${words}`);
  return only;
}

/**
 * The commands of docs/gitea.md from an empty folder to the first job.
 *
 * @param words a text that only the first block has
 */
export function firstJobCommands(words: string): string[] {
  return [...commandsIn(blockWith(words)), ...commandsIn(blockWith('/contents/'))];
}

/** Waits until the first job of acme/app is over. @throws Error after two minutes */
export async function untilOver(client: GiteaClient): Promise<void> {
  await until('the job is over', jobMs, async () => {
    const [run] = await client.listRuns('acme', 'app');
    return run?.status === 'completed';
  });
}
