import * as z from '../zod.ts';
import { CiScope } from './ci-scope.ts';

/** How an agent joins its CI system: the parameters of its registration when it connects. */
export const Join = z.object({
  /** The CI system's configured name. */
  ciSystem: z.string().check(z.minLength(1)),
  scope: CiScope,
  runnerGroup: z.optional(z.string()),
  /** Globs of the only repositories that the runner group may be open to. @default any */
  repositories: z.optional(z.array(z.string())),
  labels: z.array(z.string()).check(z.minLength(1)),
  /** The CI system's id of the only job that the agent may run. @default the CI system chooses its job */
  pinnedTo: z.optional(z.string().check(z.minLength(1))),
  /** How long a connected agent may run nothing, in seconds. */
  idleSeconds: z.int().check(z.positive()),
  /** While no job waits for its agent, that stands by without a registration. @default it is registered when it connects */
  standsBy: z.optional(z.literal(true)),
  /** Whether its CI system should run a job again, once, after infrastructure took its agent. @default no */
  rerunWhenLost: z.optional(z.boolean()),
});
export type Join = z.infer<typeof Join>;
