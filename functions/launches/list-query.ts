import type { LaunchFilter } from '../../core/launch/launch-filter.ts';
import { LaunchStatus } from '../../core/launch/launch-record.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import { limitField, listField, nameField, repositoryField } from '../../runtime/http/query-fields.ts';

const Moment = z.optional(
  z.pipe(
    z.iso.datetime({ offset: true, error: 'expected a moment such as 2026-06-01T10:00:00Z' }),
    z.transform((text) => Date.parse(text)),
  ),
);

/** The query of `GET /launches`. Without a status it asks for all of them, in the order of a launch's life. */
export const ListQuery = z.strictObject({
  status: z.withDefault(listField(LaunchStatus), [...LaunchStatus.options]),
  since: Moment,
  until: Moment,
  profile: nameField,
  cluster: nameField,
  repository: repositoryField,
  limit: limitField,
  cursor: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
});
export type ListQuery = z.infer<typeof ListQuery>;

/** Reads which launches a query asks for. */
export function filterOf({ since, until, profile, cluster, repository }: ListQuery): LaunchFilter {
  return present({ sinceEpochMs: since, untilEpochMs: until, profile, cluster, repository });
}
