import { readFile } from 'node:fs/promises';
import { printable } from '../../core/printable.ts';
import type { Finding } from '../../verify/finding.ts';
import { LineError } from '../../verify/read-lines.ts';
import { CliError } from '../cli-error.ts';

/** Reads a file of evidence. @throws CliError that names the file, and the line that is wrong */
export async function readWith<Content>(read: (text: string, file: string) => Content, file: string): Promise<Content> {
  try {
    return read(await readFile(file, 'utf8'), file);
  } catch (error) {
    if (error instanceof LineError) {
      throw new CliError('usage', 'bad-line', error.message, 'See the help of the command for what a line has.', error);
    }
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CliError('usage', 'no-file', `${file} cannot be read: ${error.message}`, undefined, error);
  }
}

/** Writes a finding on one line. */
export function findingLine({ subject, rule, seen, line }: Finding, file: string): string {
  return printable(`${file}:${line} ${subject}: ${rule}; ${seen}`);
}
