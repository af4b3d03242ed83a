/** Reads the secret in a text. A text file often ends in a line break that is not part of the secret. */
export function secretIn(text: string): string {
  return text.replace(/\r?\n$/, '');
}
