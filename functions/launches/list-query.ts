import * as z from 'zod';
import { LaunchStatus } from '../domain/launch-record.ts';

/** The query of `GET /launches`. All statuses when none is given, in the order in which a launch goes through them. */
export const ListQuery = z.strictObject({
  status: z
    .string()
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(LaunchStatus))
    .default([...LaunchStatus.options]),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'expected 1..100')
    .transform(Number)
    .pipe(z.int().min(1, 'expected 1..100').max(100, 'expected 1..100'))
    .default(20),
  cursor: z.string().min(1).max(4096).optional(),
});
export type ListQuery = z.infer<typeof ListQuery>;
