import { CliError } from './cli-error.ts';
import type { Terminal } from './terminal.ts';

/** A question to the person. */
export interface Question {
  text: string;
  /** The option that answers it, for the error when there is no person. */
  option: string;
  /** The answer of a person who only presses Enter. @default an empty text */
  enter?: string;
}

/**
 * Asks the person a question.
 *
 * @throws CliError `option-missing` when there is no person, `interrupted` when the person ends the question, not answers it
 */
export async function ask(terminal: Terminal, { text, option, enter }: Question): Promise<string> {
  if (!terminal.isInteractive)
    throw new CliError('usage', 'option-missing', `${option} is required when no person can answer questions`);
  const answer = await terminal.question(enter === undefined ? `${text} ` : `${text} [${enter}] `).catch(notAnswered);
  return answer === '' ? (enter ?? '') : answer;
}

/** Ctrl-C and Ctrl-D at a question reach only the question. */
function notAnswered(error: unknown): never {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
  throw new CliError('interrupted', 'interrupted', 'stopped at a question', undefined, error);
}

/**
 * Lets the person choose, by number or by name. Enter takes the first choice.
 *
 * @throws CliError `option-missing` when there is no person, `no-choice` when the answer is none of the choices
 */
export async function choose(terminal: Terminal, question: Question, choices: readonly string[]): Promise<string> {
  for (const [index, choice] of choices.entries())
    if (terminal.isInteractive) terminal.note(`  ${index + 1}  ${choice}`);
  const text = `${question.text} (1 to ${choices.length})`;
  const answer = await ask(terminal, { ...question, text, enter: '1' });
  const chosen = choices[Number(answer) - 1] ?? choices.find((choice) => choice === answer);
  if (chosen !== undefined) return chosen;
  throw new CliError('usage', 'no-choice', `expected 1 to ${choices.length}, found ${answer}`);
}

/**
 * Asks the person whether to go on. Only `y` and `yes` mean yes.
 *
 * @param asItWas what a no leaves unchanged
 * @throws CliError when the person says no, or when there is no person
 */
export async function confirm(terminal: Terminal, question: string, asItWas = 'the stack'): Promise<void> {
  const answer = await ask(terminal, { text: `${question} [y/N]`, option: '--yes' });
  if (!/^y(es)?$/i.test(answer)) throw new CliError('failed', 'declined', `${asItWas} is as it was`);
}
