import type * as z from 'zod';

/** Checks the values of a command line against their schema. @throws Error whose message names each invalid argument */
export function checkArguments<Arguments>(schema: z.ZodType<Arguments>, values: object): Arguments {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('\n'));
}
