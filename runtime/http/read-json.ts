import { isUtf8 } from 'node:buffer';
// By its name: through z.core, the bundle would include all of it, 320 KiB of messages in every language.
import { toDotPath } from 'zod/v4/core';
import * as z from '../../core/zod.ts';
import { Problem } from './problem.ts';

/** GitHub's payloads have eight. Code that compares or prints a value recurses into it, and the stack is finite. */
const maxLevels = 64;
const maxErrors = 20;
/** Cuts paths and messages: both may contain a caller's keys, which may be as long as a body. */
const maxCharacters = 200;

/**
 * Decodes UTF-8 without loss: the text encodes to the same bytes again, including a byte order mark.
 *
 * @throws Problem `body-malformed` when the body is empty or not UTF-8
 */
export function decodeText(body: Buffer): string {
  if (body.length === 0) throw new Problem('body-malformed', { detail: 'The body is empty.' });
  if (!isUtf8(body)) throw new Problem('body-malformed', { detail: 'The body is not UTF-8.' });
  return body.toString('utf8');
}

/**
 * Parses JSON of up to 64 levels. Does not repeat the parser's message: it quotes the body, which may contain secrets.
 *
 * @throws Problem `body-malformed`
 */
export function parseJson(text: string): unknown {
  const value = parseAnyJson(text);
  if (isWithin(maxLevels, value)) return value;
  throw new Problem('body-malformed', { detail: `The body is nested deeper than ${maxLevels} levels.` });
}

function isWithin(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isWithin(levels - 1, inner));
}

function parseAnyJson(text: string): unknown {
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
 * @param what the checked part, for the detail: `body`, `query`
 * @returns the value, parsed
 * @throws Problem `request-invalid` with up to 20 problems
 */
export function checkInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues
    .slice(0, maxErrors)
    .map((issue) => ({ path: shortened(toDotPath(issue.path)), detail: shortened(wordsOf(issue)) }));
  const first = errors.map(({ path, detail }) => (path === '' ? detail : `${path}: ${detail}`)).at(0) ?? 'invalid';
  const more = parsed.error.issues.length > 1 ? ` (and ${parsed.error.issues.length - 1} more)` : '';
  throw new Problem('request-invalid', { detail: `In the ${what}: ${first}${more}`, extra: { errors } });
}

/** zod's message about a record's refused key does not say why; the issue inside it does. */
function wordsOf(issue: z.core.$ZodIssue): string {
  return (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;
}

function shortened(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text;
}
