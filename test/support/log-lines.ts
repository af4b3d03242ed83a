import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writtenMessage } from '../../core/trace/written.ts';

const Line = z.looseObject({ level: z.string(), message: z.string() });

/** Reads a function's log lines, oldest first, without the metrics and the trace in the same log. */
export async function logLines(stateDirectory: string, functionName: string): Promise<z.infer<typeof Line>[]> {
  const text = await readFile(join(stateDirectory, 'logs', `${functionName}.log`), 'utf8');
  const values: unknown[] = text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const lines = values.flatMap((value) => Line.safeParse(value).data ?? []);
  return lines.filter(({ message }) => message !== writtenMessage);
}
