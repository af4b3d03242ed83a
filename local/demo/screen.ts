import { styleText } from 'node:util';

/** Where the demo shows what happens: one line an event, with the time since the start. */
export interface Screen {
  /** @param actor who did it: `github`, `davit`, `agent` */
  line(actor: string, text: string, mood?: 'good' | 'bad' | 'plain'): void;
  /** A line without a time: headings and the summary. */
  heading(text: string): void;
  secondsSinceStart(): string;
}

const colours = { good: 'green', bad: 'red', plain: 'reset' } as const;

/** Writes to a stream; in colour only where the stream is a terminal that wants it. */
export function createScreen(stream: NodeJS.WriteStream, nowMs: () => number): Screen {
  const startedMs = nowMs();
  const secondsSinceStart = () => ((nowMs() - startedMs) / 1000).toFixed(2);
  const paint = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream });
  return {
    line: (actor, text, mood = 'plain') => {
      const time = paint('dim', `${secondsSinceStart().padStart(7)} s`);
      stream.write(`${time}  ${paint('cyan', actor.padEnd(8))} ${paint(colours[mood], text)}\n`);
    },
    heading: (text) => stream.write(`${paint('bold', text)}\n`),
    secondsSinceStart,
  };
}
