import { join } from 'node:path';
import { rootFolder } from '../../../cdk/bundling.ts';

/** A program: its name, and its file with its arguments. */
export type ProgramCommand = readonly [name: string, command: readonly [file: string, ...args: string[]]];

/** What a program has printed. */
export interface Help {
  name: string;
  stdout: string;
  stderr: string;
}

/** Ends a program that ends its process. */
class Exit extends Error {}

/**
 * Runs programs in this process, each with `--help`, until their modules have run: most of what a program costs is to load
 * davit, which a process does once.
 */
export async function helpsOf(programs: readonly ProgramCommand[]): Promise<Help[]> {
  const { argv, exit, exitCode, stdout, stderr } = process;
  const before = { argv: [...argv], umask: process.umask(), stdout: stdout.write, stderr: stderr.write };
  const helps: Help[] = [];
  try {
    process.exit = () => {
      throw new Exit();
    };
    for (const [name, [file, ...args]] of programs) {
      const help: Help = { name, stdout: '', stderr: '' };
      stdout.write = (text) => {
        help.stdout += String(text);
        return true;
      };
      stderr.write = (text) => {
        help.stderr += String(text);
        return true;
      };
      argv.splice(1, Infinity, join(rootFolder, file), ...args, '--help');
      try {
        // Two proofs may be one program, with other arguments.
        await import(`${join(rootFolder, file)}?${encodeURIComponent(name)}`);
      } catch (error) {
        if (!(error instanceof Exit)) help.stderr += String(error);
      }
      helps.push(help);
    }
  } finally {
    Object.assign(process, { exit, exitCode });
    argv.splice(0, Infinity, ...before.argv);
    process.umask(before.umask);
    [stdout.write, stderr.write] = [before.stdout, before.stderr];
  }
  return helps;
}
