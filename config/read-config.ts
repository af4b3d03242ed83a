import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import * as z from 'zod';
import { Config } from '../functions/domain/config.ts';
import { ConfigError, type ConfigProblem, problemLine, valueAt } from './config-problem.ts';
import { crossProblems } from './cross-problems.ts';
import { shapeProblems } from './shape-problems.ts';
import { templateProblems } from './template-problems.ts';

/**
 * Reads and checks a davit.yaml.
 *
 * @throws ConfigError with every problem, one line each
 */
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
  const raw = parseYaml(text, file);
  const problems = problemsOf(raw);
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => problemLine(file, problem)));
  return Config.parse(raw);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const message = error instanceof Error ? error.message : String(error);
    const advice = isMissing ? '; `davit init` writes a first one' : '';
    throw new ConfigError([`${path}: cannot be read: ${message}${advice}`], { cause: error });
  }
}

function parseYaml(text: string, file: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: true });
  const faults = [...document.errors, ...document.warnings].map(({ message, pos }) => {
    const { line, col } = lineCounter.linePos(pos[0]);
    return `${file}:${line}:${col}: ${message}`;
  });
  if (faults.length > 0) throw new ConfigError(faults);
  try {
    return document.toJS();
  } catch (error) {
    // The parser throws for an alias without an anchor, and for aliases that multiply.
    if (error instanceof ReferenceError) throw new ConfigError([`${file}: ${error.message}`], { cause: error });
    throw error;
  }
}

function problemsOf(raw: unknown): ConfigProblem[] {
  const shape = shapeProblems(raw);
  // Both check a template's outermost fields, so this reports each place only once.
  const told = new Set(shape.map(({ path }) => z.core.toDotPath(path)));
  const templates = templatesProblems(raw).filter(({ path }) => !told.has(z.core.toDotPath(path)));
  return [...shape, ...templates, ...crossProblems(raw)];
}

function templatesProblems(raw: unknown): ConfigProblem[] {
  const profiles = valueAt(raw, ['profiles']);
  if (!Array.isArray(profiles)) return [];
  return profiles.flatMap((profile, index) =>
    templateProblems(valueAt(profile, ['template']), ['profiles', index, 'template']),
  );
}
