import { readFileSync } from 'node:fs';

/** A block of commands in a document. */
export interface ShellBlock {
  /** The line of its first command. */
  line: number;
  text: string;
}

/** Reads the blocks of a Markdown document that are marked as `sh`, without the indentation that a list gives them. */
export function shellBlocks(file: string): ShellBlock[] {
  const document = readFileSync(file, 'utf8');
  return [...document.matchAll(/^( *)```sh\n([^]*?)^\1```$/gm)].map(({ 1: indent = '', 2: body = '', index }) => ({
    line: document.slice(0, index).split('\n').length + 1,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}
