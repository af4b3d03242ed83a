import { EpochMs } from '../epoch-ms.ts';
import * as z from '../zod.ts';

/** The deliveries of a CI system that davit has refused lately. */
export const RefusedWebhooks = z.object({
  /** At least so many: a function counts several of them in one write. */
  count: z.int().check(z.gte(1)),
  /** Why the last one was refused, for people. */
  why: z.string(),
  firstAtEpochMs: EpochMs,
  lastAtEpochMs: EpochMs,
});
export type RefusedWebhooks = z.infer<typeof RefusedWebhooks>;

/** After so long without a refusal, earlier ones no longer count. */
export const refusedWindowMs = 3_600_000;

/** Says whether refusals still tell that something is wrong. */
export function isRecent({ lastAtEpochMs }: RefusedWebhooks, nowEpochMs: number): boolean {
  return nowEpochMs - lastAtEpochMs <= refusedWindowMs;
}
