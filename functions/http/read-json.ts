import * as z from 'zod';
import { Problem } from './problem.ts';

const maxErrors = 20;

/**
 * Decodes UTF-8 without loss: what it returns encodes to the same bytes again, byte order mark included.
 *
 * @throws Problem `body-malformed` when the bytes are none, or are not UTF-8
 */
export function decodeText(body: Buffer): string {
  if (body.length === 0) throw new Problem('body-malformed', { detail: 'The body is empty.' });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch (error) {
    // A fatal decoder throws TypeError for nothing else.
    if (!(error instanceof TypeError)) throw error;
    throw new Problem('body-malformed', { detail: 'The body is not UTF-8.' });
  }
}

/**
 * Parses JSON. The parser's own words are not repeated: they quote the body, which may carry secrets.
 *
 * @throws Problem `body-malformed`
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /at position (\d+)/.exec(error.message)?.[1];
    const where = position === undefined ? '' : ` (at character ${position} of ${text.length})`;
    throw new Problem('body-malformed', { detail: `The body is not JSON${where}.` });
  }
}

/**
 * Checks what a caller sent against a schema.
 *
 * @param what the thing that is checked, for the detail: `body`, `query`
 * @returns the value, parsed
 * @throws Problem `request-invalid` with every problem found, up to 20
 */
export function checkInput<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, maxErrors).map(({ path, message }) => ({
    path: z.core.toDotPath(path),
    says: message,
  }));
  const first = errors.map(({ path, says }) => (path === '' ? says : `${path}: ${says}`)).at(0) ?? 'invalid';
  const more = parsed.error.issues.length > 1 ? ` (and ${parsed.error.issues.length - 1} more)` : '';
  throw new Problem('request-invalid', { detail: `In the ${what}: ${first}${more}`, extra: { errors } });
}
