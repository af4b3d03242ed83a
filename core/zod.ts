import * as mini from 'zod/mini';
import { $ZodCheckMaxLength, $ZodCheckMinLength, type $ZodErrorMap, type SomeType } from 'zod/v4/core';
import en from 'zod/v4/locales/en.js';

/**
 * The functional half of zod, for davit's schemas. Each check is a function of its own, so that a Lambda loads only the
 * checks that it uses. In the other half, each schema is an object with all checks. Error messages are those of the other
 * half.
 *
 * @see ../docs/adr/0014-schemas-of-functions.md
 * @see https://zod.dev/packages/mini
 */
export * from 'zod/mini';
export { _default as withDefault, catch as withFallback } from 'zod/mini';

// A schema never changes, so one of each of these kinds is enough. A function would make hundreds when it starts.
const anyString = mini.string();
const anyInt = mini.int();
const anyBoolean = mini.boolean();

/** The schema of a string. */
export function string(): mini.ZodMiniString<string> {
  return anyString;
}

/** The schema of a whole number. */
export function int(): mini.ZodMiniInt {
  return anyInt;
}

/** The schema of a boolean. */
export function boolean(): mini.ZodMiniBoolean<boolean> {
  return anyBoolean;
}

const optionals = new WeakMap<object, mini.ZodMiniOptional<SomeType>>();

/** The schema of a value that may be absent. */
export function optional<Inner extends SomeType>(inner: Inner): mini.ZodMiniOptional<Inner> {
  const known = optionals.get(inner) ?? mini.optional(inner);
  optionals.set(inner, known);
  return known as mini.ZodMiniOptional<Inner>;
}

/** Values with a length. zod would read `length` from any value, and compare whatever a stranger's JSON has there. */
const when = ({ value }: { value: unknown }): boolean => typeof value === 'string' || Array.isArray(value);

/** Checks the minimum length of a string, in characters, or of an array. */
export const minLength = (minimum: number): $ZodCheckMinLength =>
  new $ZodCheckMinLength({ check: 'min_length', minimum, when });
/** Checks the maximum length of a string, in characters, or of an array. */
export const maxLength = (maximum: number): $ZodCheckMaxLength =>
  new $ZodCheckMaxLength({ check: 'max_length', maximum, when });

/** Describes a schema's values, in the documents that are made of it. */
export function described<Schema extends mini.ZodMiniType>(schema: Schema, words: string): Schema {
  return schema.check(mini.describe(words));
}

let english: $ZodErrorMap | undefined;

// Made at the first error: few functions ever meet one.
mini.config({
  localeError: (issue) => {
    english ??= en().localeError;
    return english(issue);
  },
});
