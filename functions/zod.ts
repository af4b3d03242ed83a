import { config } from 'zod/mini';
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

config(en());
