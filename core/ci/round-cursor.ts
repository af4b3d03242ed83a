import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';

/** How far rounds of reconciling have come in a CI system's lists, which one round may be unable to read whole. */
export const RoundCursor = z.object({
  /** The last scope whose jobs were listed. @default the next round begins with the first */
  jobLists: z.optional(z.string()),
  /** The last scope whose runners were listed. */
  runnerLists: z.optional(z.string()),
  /** The last job that was asked for by its id. */
  jobs: z.optional(z.string()),
  /** The last runner that was asked for by its id. */
  runners: z.optional(z.string()),
  atEpochMs: EpochMs,
});
export type RoundCursor = z.infer<typeof RoundCursor>;

/** The lists that rounds take in turns. */
export type TurnOf = Exclude<keyof RoundCursor, 'atEpochMs'>;
