/** Removes control characters from foreign text, because they could move the cursor, or begin a line of their own. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}
