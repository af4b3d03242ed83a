import { CommanderError } from 'commander';
import { ConfigError } from '../core/config/config-problem.ts';
import { printable } from '../core/printable.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { createProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs one command line.
 *
 * @returns the exit code; undefined when the command has set the process's own
 */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number | undefined> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
    return undefined;
  } catch (error) {
    return tell(error, terminal);
  }
}

function tell(error: unknown, terminal: Terminal): number {
  // Commander has already written its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage.code;
  if (error instanceof ConfigError) {
    terminal.note(error.message);
    return exitCodes.usage.code;
  }
  if (!(error instanceof CliError)) throw error;
  terminal.note(`${terminal.style('bad', 'error')} ${printableLines(`${error.code}: ${error.message}`)}`);
  if (error.advice !== undefined) terminal.note(printableLines(error.advice));
  return exitCodes[error.reason].code;
}

/** A message of davit's may have several lines, with words of others in them. */
function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}
