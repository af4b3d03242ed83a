import * as z from '../zod.ts';

/**
 * Checks that a text is Unicode: it has no half of a surrogate pair, which no UTF-8 can hold, so that DynamoDB and
 * Kubernetes refuse it or store another text.
 */
export const wellFormed = z.refine<string>((text) => text.isWellFormed(), { error: 'expected well-formed Unicode' });

/** Cuts a text to a number of UTF-16 code units, and replaces half a surrogate pair, such as one that is cut, by U+FFFD. */
export function shorten(text: string, maxCharacters: number): string {
  return text.slice(0, maxCharacters).toWellFormed();
}
