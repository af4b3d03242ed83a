import type * as z from 'zod';
import { Config } from '../../functions/domain/config.ts';
import { configJsonSchema, expected, schemaAt } from './config-json-schema.ts';
import type { ConfigProblem } from './config-problem.ts';
import { found, valueAt } from './config-problem.ts';
import { unknownKey } from './unknown-key.ts';

/** Finds what in a config has not the shape that davit.yaml has: types, ranges, missing and unknown keys. */
export function shapeProblems(raw: unknown): ConfigProblem[] {
  const issues = Config.safeParse(raw).error?.issues ?? [];
  const schema = configJsonSchema();
  return issues.flatMap((issue) => problemsOf(issue, raw, schema));
}

function problemsOf(
  issue: z.core.$ZodIssue,
  raw: unknown,
  schema: ReturnType<typeof configJsonSchema>,
): ConfigProblem[] {
  const { path, message } = issue;
  const node = schemaAt(schema, path);
  // The schema's own messages start like this; zod's do not.
  const says = message.startsWith('expected ') ? message : undefined;
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(node?.properties ?? {});
    return issue.keys.map((key) => ({
      path,
      says: says === undefined ? unknownKey(key, known) : `${says}, found ${JSON.stringify(key)}`,
    }));
  }
  const wanted = says ?? (node === undefined ? message : `expected ${expected(node)}`);
  return [{ path, says: `${wanted}, found ${found(valueAt(raw, path))}` }];
}
