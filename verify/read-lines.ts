import * as z from '../core/zod.ts';

/** A line of a file that is not what the file should have. */
export class LineError extends Error {
  override readonly name = 'LineError';

  constructor(file: string, line: number, why: string) {
    super(`${file}, line ${line}: ${why}`);
  }
}

/**
 * Reads a file of JSON lines. Leaves empty lines out.
 *
 * @param file its name, for errors
 * @returns each line's content, with its number from 1
 * @throws LineError for a line that is no JSON, or not of the schema
 */
export function readLines<Schema extends z.ZodMiniType>(
  text: string,
  file: string,
  schema: Schema,
): { line: number; content: z.infer<Schema> }[] {
  return text.split('\n').flatMap((each, index) => {
    if (each.trim() === '') return [];
    const line = index + 1;
    const read = schema.safeParse(jsonOf(each, file, line));
    if (read.success) return [{ line, content: read.data }];
    const [issue] = read.error.issues;
    throw new LineError(file, line, `${issue?.path.join('.') || 'the line'}: ${issue?.message}`);
  });
}

/** Reads a line. @throws LineError for a line that is no JSON */
export function jsonOf(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LineError(file, line, `no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
