import * as z from '../../core/zod.ts';

/** A name of davit.yaml in a query. */
export const nameField = z.optional(z.string().check(z.minLength(1), z.maxLength(63)));

/** A repository in a query. */
export const repositoryField = z.optional(
  z.string().check(z.maxLength(256), z.regex(/^[^/\s]+(\/[^/\s]+)+$/, 'expected a repository such as acme/app')),
);

/** A list in a query: `queued,waiting`. */
export function listField<Each extends z.core.$ZodType<unknown, string>>(each: Each) {
  return z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => [...new Set(text.split(','))]),
    ),
    z.array(each),
  );
}

/** The size of a page. */
export const limitField = z.withDefault(
  z.pipe(
    z.pipe(z.string().check(z.regex(/^\d{1,3}$/, 'expected 1..100')), z.transform(Number)),
    z.int().check(z.gte(1, 'expected 1..100'), z.lte(100, 'expected 1..100')),
  ),
  20,
);
