import { join } from 'node:path';
import { rootFolder } from '../../../cdk/bundling.ts';

/** A program: its name, and its file with its arguments. */
export type ProgramCommand = readonly [name: string, command: readonly [file: string, ...args: string[]]];

/** A program's output. */
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
  const before = { argv: [...process.argv], exitCode: process.exitCode, umask: process.umask() };
  const helps: Help[] = [];
  const keep = (stream: 'stdout' | 'stderr') =>
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      const help = helps.at(-1);
      if (help !== undefined) help[stream] += String(text);
      return true;
    });
  const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
    throw new Exit();
  });
  const replaced = [exit, keep('stdout'), keep('stderr')];
  try {
    for (const [name, [file, ...args]] of programs) {
      const help: Help = { name, stdout: '', stderr: '' };
      helps.push(help);
      process.argv.splice(1, Infinity, join(rootFolder, file), ...args, '--help');
      try {
        // Two proofs may be one program, with other arguments.
        await import(`${join(rootFolder, file)}?${encodeURIComponent(name)}`);
      } catch (error) {
        if (!(error instanceof Exit)) help.stderr += String(error);
      }
    }
  } finally {
    for (const each of replaced) each.mockRestore();
    process.argv.splice(0, Infinity, ...before.argv);
    process.exitCode = before.exitCode;
    process.umask(before.umask);
  }
  return helps;
}
