import { createInterface } from 'node:readline/promises';
import { CliError } from './cli-error.ts';
import type { Terminal } from './terminal.ts';

/**
 * Asks the person a question.
 *
 * @param option the option that answers it, for the error when there is no person
 */
export async function ask({ isInteractive, signal }: Terminal, question: string, option: string): Promise<string> {
  if (!isInteractive)
    throw new CliError('usage', 'option-missing', `${option} is required when no person can answer questions`);
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question(`${question} `, { signal })).trim();
  } finally {
    asking.close();
  }
}

/**
 * Asks the person whether to go on. Only `y` and `yes` mean yes.
 *
 * @param asItWas what a no leaves unchanged
 * @throws CliError when the person says no, or when there is no person
 */
export async function confirm(terminal: Terminal, question: string, asItWas = 'the stack'): Promise<void> {
  const answer = await ask(terminal, `${question} [y/N]`, '--yes');
  if (!/^y(es)?$/i.test(answer)) throw new CliError('failed', 'declined', `${asItWas} is as it was`);
}
