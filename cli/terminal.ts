import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';

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
    columns: stdout.isTTY ? (stdout as WriteStream).columns : undefined,
    nowEpochMs: Date.now,
    signal,
  };
}

const quietMs = 1000;

/** Shows the current action to the person if it takes longer than a second. */
export async function withProgress<Result>(terminal: Terminal, what: string, work: Promise<Result>): Promise<Result> {
  if (!terminal.isInteractive) return work;
  const timer = setTimeout(() => terminal.note(`${what} …`), quietMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
