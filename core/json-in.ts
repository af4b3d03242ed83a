/** Parses JSON that somebody else wrote. @returns undefined for a text that is none */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
