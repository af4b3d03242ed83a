import * as z from 'zod';

/** The part of JSON Schema that zod uses for davit's schemas. */
export const Shape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  get properties() {
    return z.record(z.string(), Shape).optional();
  },
  required: z.array(z.string()).optional(),
  get additionalProperties() {
    return z.union([z.boolean(), Shape]).optional();
  },
  get items() {
    return Shape.optional();
  },
  get anyOf() {
    return z.array(Shape).optional();
  },
  get oneOf() {
    return z.array(Shape).optional();
  },
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  pattern: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
});
export type Shape = z.infer<typeof Shape>;

/**
 * Lists the fields that one side writes and the other side cannot read.
 *
 * @param written JSON Schema of the written data
 * @param read JSON Schema of the accepted data
 * @param name the shape's name in the list
 */
export function unreadable(written: unknown, read: unknown, name: string): string[] {
  return compare(Shape.parse(written), Shape.parse(read), name);
}

function compare(written: Shape, read: Shape, at: string): string[] {
  const branches = choicesOf(written);
  if (branches !== undefined) return branches.flatMap((branch) => compare(branch, read, at));
  const choices = choicesOf(read);
  if (choices !== undefined) return fewest(choices.map((choice) => compare(written, choice, at)));
  const isOfType = written.type === read.type || (written.type === 'integer' && read.type === 'number');
  if (read.type !== undefined && !isOfType) {
    return [`${at}: ${written.type?.toString() ?? 'anything'} is written, ${read.type.toString()} is read`];
  }
  return [...values(written, read, at), ...bounds(written, read, at), ...fields(written, read, at)];
}

function choicesOf(shape: Shape): Shape[] | undefined {
  if (Array.isArray(shape.type)) return shape.type.map((type) => ({ ...shape, type }));
  return shape.anyOf ?? shape.oneOf;
}

/** Picks the best match among the shapes of a union. */
function fewest(problems: string[][]): string[] {
  return problems.toSorted((one, other) => one.length - other.length)[0] ?? [];
}

function values(written: Shape, read: Shape, at: string): string[] {
  const accepted = read.const === undefined ? read.enum : [read.const];
  if (accepted === undefined) return [];
  const given = written.const === undefined ? written.enum : [written.const];
  if (given === undefined) return [`${at}: any value is written, only ${accepted.join(', ')} is read`];
  return given
    .filter((value) => !accepted.includes(value))
    .map((value) => `${at}: ${String(value)} is written and not known`);
}

function bounds(written: Shape, read: Shape, at: string): string[] {
  const isBelow = (low?: number, least?: number) => least !== undefined && (low ?? Number.NEGATIVE_INFINITY) < least;
  const isAbove = (high?: number, most?: number) => most !== undefined && (high ?? Number.POSITIVE_INFINITY) > most;
  return [
    ...(read.pattern !== undefined && read.pattern !== written.pattern ? [`${at}: its pattern has changed`] : []),
    ...(isBelow(written.minimum ?? written.exclusiveMinimum, read.minimum ?? read.exclusiveMinimum) ||
    isBelow(written.minLength, read.minLength)
      ? [`${at}: less is written than is read`]
      : []),
    ...(isAbove(written.maximum, read.maximum) || isAbove(written.maxLength, read.maxLength)
      ? [`${at}: more is written than is read`]
      : []),
  ];
}

function fields(written: Shape, read: Shape, at: string): string[] {
  const { properties: known = {}, required = [], additionalProperties: others } = read;
  const given = written.properties ?? {};
  return [
    ...required
      .filter((field) => !written.required?.includes(field))
      .map((field) => `${at}.${field}: is not always written, and is required`),
    ...Object.entries(given).flatMap(([field, shape]) => {
      const counterpart = known[field];
      if (counterpart !== undefined) return compare(shape, counterpart, `${at}.${field}`);
      return others === false ? [`${at}.${field}: is written, and is refused as unknown`] : [];
    }),
    ...(written.items && read.items ? compare(written.items, read.items, `${at}[]`) : []),
    ...(typeof written.additionalProperties === 'object' && typeof others === 'object'
      ? compare(written.additionalProperties, others, `${at}.*`)
      : []),
  ];
}
