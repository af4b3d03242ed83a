import { readFileSync } from 'node:fs';

/** A fenced block of a document. */
export interface ShellBlock {
  /** The line number of its first line. */
  line: number;
  heading: string;
  text: string;
}

/** Reads a Markdown document's `sh` blocks. */
export function shellBlocks(file: string): ShellBlock[] {
  return blocksOf(readFileSync(file, 'utf8'), 'sh');
}

/** Finds the fenced blocks of a language in Markdown, without the indentation that a list gives them. */
export function blocksOf(markdown: string, language: 'sh' | 'yaml'): ShellBlock[] {
  const fenced = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\`$`, 'gm');
  return [...markdown.matchAll(fenced)].map(({ 1: indent = '', 2: body = '', index }) => {
    const before = markdown.slice(0, index);
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
