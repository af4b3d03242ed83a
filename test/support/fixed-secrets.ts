/** Secrets that all say the same, read or read anew. */
export function fixedSecrets(text: string): { read: () => Promise<string>; refresh: () => Promise<string> } {
  const read = async () => text;
  return { read, refresh: read };
}
