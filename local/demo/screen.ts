import { styleText } from 'node:util';

/** Shows the demo's events: one line per event, with the time since the start. */
export interface Screen {
  /** @param actor the event's actor: `github`, `davit`, `agent` */
  line(actor: string, text: string, mood?: 'good' | 'bad' | 'plain'): void;
  /** A line without a time: headings and the summary. */
  heading(text: string): void;
  secondsSinceStart(): string;
}

const colours = { good: 'green', bad: 'red', plain: 'reset' } as const;

/** Writes to a stream, with colour if it is a terminal that supports colour. */
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
