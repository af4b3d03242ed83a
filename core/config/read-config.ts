import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { toDotPath } from 'zod/v4/core';
import { Config } from './config.ts';
import { ConfigError, type ConfigProblem, problemLine, valueAt } from './config-problem.ts';
import { crossProblems } from './cross-problems.ts';
import { shapeProblems } from './shape-problems.ts';
import { templateProblems } from './template-problems.ts';

/** Reads and checks a davit.yaml. @throws ConfigError with every problem, one line each */
export async function readConfig(path: string): Promise<Config> {
  return parseConfig(await readText(path), path);
}

/**
 * Parses and checks the text of a davit.yaml.
 *
 * @param file the name for messages
 * @throws ConfigError with every problem, one line each
 */
export function parseConfig(text: string, file: string): Config {
  const { raw, placeOf } = parseYaml(text, file);
  const problems = problemsOf(raw);
  if (problems.length > 0) {
    throw new ConfigError(problems.map((problem) => problemLine(`${file}${placeOf(pathTo(problem))}`, problem)));
  }
  return Config.parse(raw);
}

async function readText(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
    return bytes.toString('utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const message = error instanceof Error ? error.message : String(error);
    const advice = isMissing ? '; `davit init` writes a first one' : '';
    throw new ConfigError([`${path}: cannot be read: ${message}${advice}`], { cause: error });
  }
}

/** A parsed file. */
interface Parsed {
  raw: unknown;
  /** Returns the place of a path, or of the nearest part of it that the file has: `:12:5`; '' for an empty file. */
  placeOf: (path: readonly PropertyKey[]) => string;
}

function parseYaml(text: string, file: string): Parsed {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  const faults = [...document.errors, ...document.warnings].map(({ message, pos }) => {
    return `${file}${placeAt(lineCounter, pos[0])}: ${message}`;
  });
  if (faults.length > 0) throw new ConfigError(faults);
  try {
    const raw: unknown = document.toJS();
    return { raw, placeOf: (path) => placeAt(lineCounter, offsetOf(document, path)) };
  } catch (error) {
    // The parser throws for an alias without an anchor, and for aliases that multiply.
    if (error instanceof ReferenceError) throw new ConfigError([`${file}: ${error.message}`], { cause: error });
    throw error;
  }
}

/** @returns as `:12:5`, with lines and columns from 1; '' without an offset */
function placeAt(lineCounter: LineCounter, offset: number | undefined): string {
  if (offset === undefined) return '';
  const { line, col } = lineCounter.linePos(offset);
  return `:${line}:${col}`;
}

/** Finds where a path's key or list item is in the text, or the nearest part around it. @returns undefined if there is none */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  if (path.length === 0) return isNode(document.contents) ? document.contents.range?.[0] : undefined;
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  const node = isScalar(pair?.key) ? pair.key : document.getIn(path, true);
  return (isNode(node) ? node.range?.[0] : undefined) ?? offsetOf(document, path.slice(0, -1));
}

function pathTo({ path, unknownKey }: ConfigProblem): PropertyKey[] {
  return unknownKey === undefined ? path : [...path, unknownKey];
}

function problemsOf(raw: unknown): ConfigProblem[] {
  const shape = shapeProblems(raw);
  // Both check a template's outermost fields, so this reports each place only once.
  const told = new Set(shape.map(({ path }) => toDotPath(path)));
  const templates = templatesProblems(raw).filter(({ path }) => !told.has(toDotPath(path)));
  return [...shape, ...templates, ...crossProblems(raw)];
}

function templatesProblems(raw: unknown): ConfigProblem[] {
  const profiles = valueAt(raw, ['profiles']);
  if (!Array.isArray(profiles)) return [];
  return profiles.flatMap((profile, index) =>
    templateProblems(valueAt(profile, ['template']), ['profiles', index, 'template']),
  );
}
