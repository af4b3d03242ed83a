import { createInterface } from 'node:readline/promises';
import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { CliError } from './cli-error.ts';

/** The style of a text. */
export type Style = 'good' | 'bad' | 'warning' | 'faint' | 'strong';

/** The command's output, and its environment. */
export interface Terminal {
  /** Writes lines for people or programs to standard output. */
  line(text: string): void;
  /** Writes a line to standard error: errors, advice, progress. */
  note(text: string): void;
  /** Colours a text, if standard output supports colours and `NO_COLOR` is not set. */
  style(style: Style, text: string): string;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether a person can answer questions. */
  isInteractive: boolean;
  /** Writes a question to standard error. @returns the person's answer, without the spaces around it */
  question(text: string): Promise<string>;
  /** The width of tables, in characters; undefined where lines may be of any length. */
  columns: number | undefined;
  nowEpochMs(): number;
  /** Ends when the person presses Ctrl-C. */
  signal: AbortSignal;
}

const styles = { good: 'green', bad: 'red', warning: 'yellow', faint: 'dim', strong: 'bold' } as const;

/** The terminal of this process. */
export function processTerminal(signal: AbortSignal): Terminal {
  const { stdout, stderr, stdin, env } = process;
  return {
    line: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    style: (style, text) => styleText(styles[style], text, { stream: stdout }),
    env,
    isInteractive: stdin.isTTY && stderr.isTTY,
    question: (text) => question(text, signal),
    columns: stdout.isTTY ? (stdout as WriteStream).columns : undefined,
    nowEpochMs: Date.now,
    signal,
  };
}

async function question(text: string, signal: AbortSignal): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question(text, { signal })).trim();
  } finally {
    asking.close();
  }
}

const quietMs = 1000;

/**
 * Shows the current action to the person if it takes longer than a second.
 *
 * @throws CliError `interrupted` when the person presses Ctrl-C
 */
export async function withProgress<Result>(terminal: Terminal, what: string, work: Promise<Result>): Promise<Result> {
  const timer = terminal.isInteractive ? setTimeout(() => terminal.note(`${what} …`), quietMs) : undefined;
  try {
    return await untilInterrupted(terminal, work);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for work that Ctrl-C does not end by itself. @throws CliError `interrupted` when the person presses it */
export async function untilInterrupted<Result>({ signal }: Terminal, work: Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const interrupted = Promise.withResolvers<never>();
  const stop = () => interrupted.reject(new CliError('interrupted', 'interrupted', 'stopped by Ctrl-C'));
  signal.addEventListener('abort', stop, { signal: ended.signal });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, interrupted.promise]);
  } finally {
    ended.abort();
  }
}

/** The same for work that, after Ctrl-C, removes what it has made: waits for that, too. @param made for the person */
export async function untilRemoved<Result>(terminal: Terminal, work: Promise<Result>, made: string): Promise<Result> {
  try {
    return await untilInterrupted(terminal, work);
  } catch (error) {
    if (terminal.signal.aborted) terminal.note(`removing ${made} …`);
    await Promise.allSettled([work]);
    throw error;
  }
}
