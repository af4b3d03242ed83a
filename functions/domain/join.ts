import * as z from '../zod.ts';
import { CiScope } from './ci-scope.ts';

/** How an agent joins its CI system: what it is registered with when it connects. */
export const Join = z.object({
  /** The CI system's configured name. */
  ciSystem: z.string().check(z.minLength(1)),
  scope: CiScope,
  runnerGroup: z.optional(z.string()),
  labels: z.array(z.string()).check(z.minLength(1)),
  /** How long a connected agent may run nothing, in seconds. */
  idleSeconds: z.int().check(z.positive()),
});
export type Join = z.infer<typeof Join>;
