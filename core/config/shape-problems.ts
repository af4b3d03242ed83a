import type * as z from 'zod';
import { Config } from './config.ts';
import { configJsonSchema, expected, propertiesOf, schemaAt } from './config-json-schema.ts';
import { type ConfigProblem, found, valueAt } from './config-problem.ts';
import { unknownKey } from './unknown-key.ts';

/** Finds wrong types, values out of range, and missing or unknown keys. */
export function shapeProblems(raw: unknown): ConfigProblem[] {
  const { error } = Config.safeParse(raw);
  if (error === undefined) return [];
  const schema = configJsonSchema();
  return error.issues.flatMap((issue) => problemsOf(issue, raw, schema));
}

function problemsOf(
  issue: z.core.$ZodIssue,
  raw: unknown,
  schema: ReturnType<typeof configJsonSchema>,
): ConfigProblem[] {
  const { path, message } = issue;
  const node = schemaAt(schema, path);
  // Messages of davit's schemas begin with "expected"; zod's own do not.
  const detail = message.startsWith('expected ') ? message : undefined;
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(propertiesOf(node));
    return issue.keys.map((key) => ({
      path,
      unknownKey: key,
      detail: detail === undefined ? unknownKey(key, known) : `${detail}, found ${JSON.stringify(key)}`,
    }));
  }
  const wanted = detail ?? (node === undefined ? message : `expected ${expected(node)}`);
  return [{ path, detail: `${wanted}, found ${found(valueAt(raw, path))}` }];
}
