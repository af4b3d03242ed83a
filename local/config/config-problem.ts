import * as z from 'zod';

/** One thing that is wrong in a config. */
export interface ConfigProblem {
  path: PropertyKey[];
  /** What was expected and what was found. */
  says: string;
}

/** A config that cannot be used, with everything that is wrong in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One line a problem, each starting with the file's name. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}

/** Writes a problem as one line: `davit.yaml: profiles[0].agentPort: expected 1..65535, found 0`. */
export function problemLine(file: string, { path, says }: ConfigProblem): string {
  return [file, z.core.toDotPath(path), says].filter((part) => part !== '').join(': ');
}

/** Says what stands at a place, in a few words. */
export function found(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** Reads what stands at a path of plain data; undefined when the path leads nowhere. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    root,
  );
}
