import { toDotPath } from 'zod/v4/core';

/** One problem of a config. */
export interface ConfigProblem {
  path: PropertyKey[];
  /** The key at that path that davit does not know, if that is the problem. */
  unknownKey?: string;
  /** The expected value and the found one, in words. */
  detail: string;
}

/** An unusable config, with all of its problems. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One line per problem, each beginning with the file's name. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}

/**
 * Formats a problem as one line: `davit.yaml:14:5: profiles[0].agentPort: expected 1..65535, found 0`.
 *
 * @param place the file, with line and column where they are known
 */
export function problemLine(place: string, { path, detail }: ConfigProblem): string {
  return [place, toDotPath(path), detail].filter((part) => part !== '').join(': ');
}

/** Lists a problem if there is one, as the checks of a config join what they find. */
export function problemIf(isProblem: boolean, path: PropertyKey[], detail: string): ConfigProblem[] {
  return isProblem ? [{ path, detail }] : [];
}

/** Finds the items of a list at a path that an earlier item equals. @param once what is expected of them */
export function repeated(items: readonly unknown[], path: PropertyKey[], once: string): ConfigProblem[] {
  return items.flatMap((item, index) =>
    problemIf(items.indexOf(item) < index, [...path, index], `expected ${once}, found ${found(item)} again`),
  );
}

/** Describes a value in a few words. */
export function found(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object') return 'a mapping';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Reads the value at a path of plain data; undefined when there is none. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    root,
  );
}
