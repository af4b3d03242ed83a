const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The first and the last line. An answer without both is not davit's, or is incomplete: a shell must not run it. */
export const shellFrame = { begin: '# davit: begin', end: '# davit: end' } as const;

/**
 * Writes variables as assignments for a POSIX shell, one after the other, between two comments. The shell takes each
 * value literally, whatever its characters: it expands and runs nothing in it.
 *
 * @throws RangeError for an invalid variable name, and for a value with NUL, which no shell can hold
 * @see https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02_02
 */
export function shellAssignments(variables: Readonly<Record<string, string>>): string {
  const assignments = Object.entries(variables).map(([name, value]) => {
    if (!variableName.test(name)) throw new RangeError(`${JSON.stringify(name)} is no name of a shell variable`);
    if (value.includes('\0')) throw new RangeError(`the value of ${name} has a NUL`);
    return `${name}=${quoted(value)}`;
  });
  return [shellFrame.begin, ...assignments, shellFrame.end, ''].join('\n');
}

/** Between single quotes, only the quote itself has a meaning. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}
