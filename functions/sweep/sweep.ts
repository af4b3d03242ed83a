import * as z from '../zod.ts';
import type { Candidate } from './candidate.ts';
import { findLaunches, listLaunches } from './find-launches.ts';
import { findObjects, placesOf } from './find-objects.ts';
import { handleLaunch } from './handle-launch.ts';
import { handleObject } from './handle-object.ts';
import type { SweepDeps } from './sweep-deps.ts';
import type { Finding, SweepReport } from './sweep-report.ts';
import { SweepRun } from './sweep-run.ts';

/** How a sweep is asked for; a schedule's event says nothing of it. */
export const SweepInput = z.object({
  /** Shows what would be done, and does nothing. */
  dryRun: z.withDefault(z.boolean(), false),
  /** How long whoever is at work on a launch is left alone; 0 after all of them have died. */
  graceSeconds: z.withDefault(z.int().check(z.gte(0), z.lte(3600)), 60),
});
export type SweepInput = z.infer<typeof SweepInput>;

/**
 * Finds what processes that died, calls that were lost and clusters that were away have left behind, and mends it:
 * objects that nobody needs are deleted, launches that nobody is at are started, ended or cleaned up. It looks at every
 * place that the config or a launch names, and takes the oldest in hand first. Safe to repeat, and to run twice at once.
 *
 * What is found is only a candidate. Each is read again, with its launch's record, immediately before something is
 * done about it, and an object is deleted by the uid that was read. A dry run does all of this but the last.
 *
 * @returns what was found, and what could not be done; nothing is thrown for that
 */
export async function sweep(deps: SweepDeps, { dryRun, graceSeconds }: SweepInput): Promise<SweepReport> {
  const run = new SweepRun(deps.limits, deps.nowEpochMs);
  const candidates = await find(deps, run, graceSeconds);
  const oldestFirst = candidates.toSorted((one, other) => one.sinceEpochMs - other.sinceEpochMs).entries();
  const findings: (Finding | undefined)[] = [];
  const handle = async () => {
    // Each takes the next one from the same iterator.
    for (const [position, candidate] of oldestFirst) {
      if (!run.mayTake()) continue;
      findings[position] =
        candidate.kind === 'Launch'
          ? await handleLaunch(deps, run, candidate, { dryRun, graceSeconds })
          : await handleObject(deps, run, candidate, { dryRun });
    }
  };
  await Promise.all(Array.from({ length: deps.limits.atATime }, handle));
  return run.report(
    dryRun,
    findings.filter((finding) => finding !== undefined),
  );
}

async function find(deps: SweepDeps, run: SweepRun, graceSeconds: number): Promise<Candidate[]> {
  const launches = (await run.attempt('the launches', () => listLaunches(deps, run))) ?? [];
  const sights = await Promise.all(
    placesOf(deps.profiles, launches).map((place) =>
      run.attempt(`cluster ${place.cluster}, namespace ${place.namespace}`, () => findObjects(deps, run, place)),
    ),
  );
  const seen = sights.filter((sight) => sight !== undefined);
  const ofLaunches = await run.attempt('the executions', () => findLaunches(deps, launches, seen, graceSeconds));
  return [...(ofLaunches ?? []), ...seen.flatMap(({ candidates }) => candidates)];
}
