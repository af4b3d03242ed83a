import { LaunchStatus } from '../domain/launch-record.ts';
import * as z from '../zod.ts';

/** The query of `GET /launches`. Without a status it asks for all of them, in the order of a launch's life. */
export const ListQuery = z.strictObject({
  status: z.withDefault(
    z.pipe(
      z.pipe(
        z.string(),
        z.transform((text) => [...new Set(text.split(','))]),
      ),
      z.array(LaunchStatus),
    ),
    [...LaunchStatus.options],
  ),
  limit: z.withDefault(
    z.pipe(
      z.pipe(z.string().check(z.regex(/^\d{1,3}$/, 'expected 1..100')), z.transform(Number)),
      z.int().check(z.gte(1, 'expected 1..100'), z.lte(100, 'expected 1..100')),
    ),
    20,
  ),
  cursor: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
});
export type ListQuery = z.infer<typeof ListQuery>;
