import { parseArgs } from 'node:util';
import * as z from 'zod';

/** A wrong command line. */
export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
}

/**
 * Reads a command line by a schema of its options: one of a boolean is a flag, one of a list may be given several times, and
 * any other has a text.
 *
 * @param help how else help is asked for, by one letter
 * @returns 'help' for --help
 * @throws ArgumentError with a line for each argument that is wrong
 */
export function readArguments<Schema extends z.ZodType>(
  args: string[],
  schema: Schema,
  help: { short?: string } = {},
): z.output<Schema> | 'help' {
  const { help: isHelp, ...given } = parsed(args, {
    ...optionsOf(schema),
    help: { type: 'boolean', ...help },
  });
  if (isHelp === true) return 'help';
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const wrong = read.error.issues.map(({ path: [option], message }) => `--${String(option)}: ${message}`);
  throw new ArgumentError(wrong.join('\n'));
}

type Options = Record<string, { type: 'boolean' | 'string'; multiple?: boolean; short?: string }>;

function optionsOf(schema: z.ZodType): Options {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const type = typeof property === 'object' ? property.type : undefined;
      return [name, { type: type === 'boolean' ? type : 'string', multiple: type === 'array' }];
    }),
  );
}

function parsed(args: string[], options: Options): Record<string, unknown> {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    // parseArgs throws a TypeError with a code and a readable message.
    throw new ArgumentError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
