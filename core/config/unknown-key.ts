/** Reports an unknown key, and suggests a known one. A key may be known in another kind of the same mapping. */
export function unknownKey(key: string, known: readonly string[]): string {
  const nearest = known
    .filter((candidate) => candidate !== key)
    .map((candidate) => ({ candidate, edits: editsBetween(key.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= tolerated(candidate))
    .sort((one, other) => one.edits - other.edits)
    .at(0);
  return `unknown key ${JSON.stringify(key)}${nearest ? `; did you mean "${nearest.candidate}"?` : ''}`;
}

/**
 * Returns how many edits a suggestion may be away. Two swapped letters are two edits, but after two edits a word of
 * three letters is no longer recognisable.
 */
function tolerated(candidate: string): number {
  return Math.min(candidate.length - 2, Math.max(2, Math.floor(candidate.length / 3)));
}

/** The Levenshtein distance: insertions, deletions and replacements that turn one text into the other. */
function editsBetween(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [row, letter] of Array.from(one).entries()) {
    const line = [row + 1];
    for (const [column, otherLetter] of Array.from(other).entries()) {
      const replaced = (above[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
