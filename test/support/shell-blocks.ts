import { readFileSync } from 'node:fs';

/** A block of shell commands in a document. */
export interface ShellBlock {
  /** The line number of its first command. */
  line: number;
  /** The heading of its section. */
  heading: string;
  text: string;
}

/** Reads a Markdown document's `sh` blocks, without the indentation that a list gives them. */
export function shellBlocks(file: string): ShellBlock[] {
  const document = readFileSync(file, 'utf8');
  return [...document.matchAll(/^( *)```sh\n([^]*?)^\1```$/gm)].map(({ 1: indent = '', 2: body = '', index }) => {
    const before = document.slice(0, index);
    return {
      line: before.split('\n').length + 1,
      heading: [...before.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? '',
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });
}

/** Splits a block into commands. A line that ends with a backslash or a pipe continues on the next one. */
export function commandsIn({ text }: Pick<ShellBlock, 'text'>): string[] {
  return text.split(/(?<![\\|])\n/).filter((command) => command !== '');
}
