import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const Line = z.looseObject({ level: z.string(), message: z.string() });

/** Reads a function's log lines, oldest first, without the metrics in the same log. */
export async function logLines(stateDirectory: string, functionName: string): Promise<z.infer<typeof Line>[]> {
  const text = await readFile(join(stateDirectory, 'logs', `${functionName}.log`), 'utf8');
  const values: unknown[] = text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  return values.flatMap((value) => Line.safeParse(value).data ?? []);
}
