import { type TraceLine, WrittenLine, writtenMessage } from '../../core/trace/written.ts';
import * as z from '../../core/zod.ts';
import { jsonOf, LineError } from '../read-lines.ts';

/** What `aws logs filter-log-events` writes. */
const Exported = z.object({ events: z.array(z.object({ message: z.string() })) });

/**
 * Picks the writes of records out of a log: lines as functions write them, or the document that
 * `aws logs filter-log-events` writes. Leaves every other line out.
 *
 * @param file its name, for errors
 * @throws LineError for a line with a write that cannot be read
 * @see https://docs.aws.amazon.com/cli/latest/reference/logs/filter-log-events.html
 */
export function traceOfLog(text: string, file: string): TraceLine[] {
  const messages = exportedMessages(text) ?? text.split('\n');
  return messages.flatMap((message, index) => {
    if (!message.includes(`"${writtenMessage}"`)) return [];
    const read = WrittenLine.safeParse(jsonOf(message, file, index + 1));
    if (!read.success) throw new LineError(file, index + 1, `no write of a record: ${read.error.issues[0]?.message}`);
    const { timestamp, written } = read.data;
    return [{ atEpochMs: Date.parse(timestamp), written }];
  });
}

function exportedMessages(text: string): string[] | undefined {
  if (!/^\s*\{\s*"events"/.test(text)) return undefined;
  const read = Exported.safeParse(JSON.parse(text));
  return read.data?.events.map(({ message }) => message);
}
