/** Begins a sentence. The name davit stays as it is. */
export function capitalized(words: string): string {
  return words.startsWith('davit ') ? words : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
