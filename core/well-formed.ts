import * as z from './zod.ts';

/**
 * Checks that a text is well-formed Unicode, without half of a surrogate pair. UTF-8 cannot represent such a half, so
 * DynamoDB and Kubernetes refuse it or store another text.
 */
export const wellFormed = z.refine<string>((text) => text.isWellFormed(), { error: 'expected well-formed Unicode' });

/**
 * Truncates a text to a number of UTF-16 code units, and replaces half a surrogate pair, for example at the cut, by
 * U+FFFD.
 */
export function shorten(text: string, maxCharacters: number): string {
  return text.slice(0, maxCharacters).toWellFormed();
}
