import { config } from 'zod/mini';
import { $ZodCheckMaxLength, $ZodCheckMinLength } from 'zod/v4/core';
import en from 'zod/v4/locales/en.js';

/**
 * What davit's schemas are written with: zod's functional half, which has each check as a function and not each schema
 * as an object of all of them, so that a function starts with the few that it uses. Errors are worded as the other
 * half's.
 *
 * @see ../docs/adr/0014-schemas-of-functions.md
 * @see https://zod.dev/packages/mini
 */
export * from 'zod/mini';
export { _default as withDefault, catch as withFallback } from 'zod/mini';

/** What has a length: zod would ask anything for it, and compare whatever a stranger's JSON says that it is. */
const when = ({ value }: { value: unknown }): boolean => typeof value === 'string' || Array.isArray(value);

/** Of a string, in characters, or of an array. */
export const minLength = (minimum: number) => new $ZodCheckMinLength({ check: 'min_length', minimum, when });
/** Of a string, in characters, or of an array. */
export const maxLength = (maximum: number) => new $ZodCheckMaxLength({ check: 'max_length', maximum, when });

config(en());
