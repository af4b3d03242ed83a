import { join } from 'node:path';
import { rootFolder } from '../../../../cdk/bundling.ts';
import { commandsIn, type ShellBlock, shellBlocks } from '../../../support/shell-blocks.ts';
import { until } from '../../cluster/until.ts';
import type { GiteaClient } from '../gitea/gitea-client.ts';

const jobMs = 120_000;

/**
 * The commands from an empty folder to the first job, of a document's section `On this machine`.
 *
 * @param page in `docs`: `gitea.md`
 * @param words a text that only the first block has
 * @throws Error when several blocks have it, or none
 */
export function firstJobCommands(page: string, words: string): string[] {
  return [words, 'davit list'].flatMap((text) => commandsOf(page, 'On this machine', text));
}

/**
 * The commands of a block in a document's section.
 *
 * @param page in `docs`: `gitea.md`
 * @param words a text that no other block of the section has
 * @throws Error when several blocks have it, or none
 */
export function commandsOf(page: string, heading: string, words: string): string[] {
  const blocks = shellBlocks(join(rootFolder, 'docs', page)).filter((block) => block.heading === heading);
  return commandsIn(blockWith(words, blocks, page));
}

function blockWith(words: string, blocks: readonly ShellBlock[], page: string): ShellBlock {
  const found = blocks.filter(({ text }) => text.includes(words));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} blocks of docs/${page} have ${words}`);
  return only;
}

/** Waits until the first job of acme/app is over. @throws Error after two minutes */
export async function untilOver(client: GiteaClient): Promise<void> {
  await until('the job is over', jobMs, async () => {
    const [run] = await client.listRuns('acme', 'app');
    return run?.status === 'completed';
  });
}
