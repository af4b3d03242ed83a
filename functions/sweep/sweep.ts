import * as z from '../../core/zod.ts';
import type { Candidate, ClusterNamespace } from './candidate.ts';
import { findLaunches, listLaunches } from './find-launches.ts';
import { findObjects, type NamespaceSight, namespacesOf } from './find-objects.ts';
import { handleLaunch } from './handle-launch.ts';
import { handleObject } from './handle-object.ts';
import type { SweepDeps } from './sweep-deps.ts';
import type { Finding, SweepReport } from './sweep-report.ts';
import { SweepRun } from './sweep-run.ts';

/** The input of a sweep; a schedule's event has none of these fields. */
export const SweepInput = z.object({
  /** Shows what the sweep would do, and does nothing. */
  dryRun: z.withDefault(z.boolean(), false),
  /** How long a launch is left to the process that works on it; 0 after all processes have died. */
  graceSeconds: z.withDefault(z.int().check(z.gte(0), z.lte(3600)), 60),
});
export type SweepInput = z.infer<typeof SweepInput>;

/**
 * Finds and repairs everything that crashes, lost calls and cluster outages leave behind. Deletes objects that no live
 * launch needs; starts, ends or cleans up launches that no process works on. Looks at every namespace that the config or a
 * launch names, and acts on the oldest findings first. Safe to repeat, and to run twice at once.
 *
 * A finding is only a candidate. The sweep reads each candidate again, with its launch's record, immediately before it
 * acts, and deletes an object by the uid that it read. It leaves the Pod of a launch that has just ended to the launch's
 * clean-up, which reads it first. A dry run does all of this but the last step.
 *
 * @returns the findings, and the parts that failed: a sweep reports a failed part and does not throw
 */
export async function sweep(deps: SweepDeps, { dryRun, graceSeconds }: SweepInput): Promise<SweepReport> {
  const run = new SweepRun(deps.limits, deps.nowEpochMs);
  const candidates = await find(deps, run, graceSeconds);
  const oldestFirst = candidates.toSorted((one, other) => one.sinceEpochMs - other.sinceEpochMs).entries();
  const findings: (Finding | undefined)[] = [];
  const handle = async () => {
    // All workers take from one iterator.
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
  const drained = (await run.attempt('the records of the clusters', () => drainedNamespaces(deps))) ?? [];
  const sights = await Promise.all(
    namespacesOf(deps.profiles, launches, drained).map((where) =>
      run.attempt(`cluster ${where.cluster}, namespace ${where.namespace}`, () => lookAt(deps, run, where)),
    ),
  );
  const seen = sights.filter((sight) => sight !== undefined);
  const ofLaunches = await run.attempt('the executions', () => findLaunches(deps, launches, seen, graceSeconds));
  return [...(ofLaunches ?? []), ...seen.flatMap(({ candidates }) => candidates)];
}

/**
 * davit cannot reach a cluster that davit.yaml does not have. The clean-up that this sweep requests records what may be
 * left there.
 */
async function lookAt(deps: SweepDeps, run: SweepRun, where: ClusterNamespace): Promise<NamespaceSight> {
  return deps.clusters.includes(where.cluster) ? findObjects(deps, run, where) : { where, candidates: [] };
}

/**
 * Names the namespaces in clusters that davit.yaml has and no profile names, because a person drains them. A create that
 * takes effect late may leave objects there after the last launch is over.
 *
 * @throws TransientError StoreUnavailable
 */
async function drainedNamespaces({ clusters, profiles, clusterStates }: SweepDeps): Promise<ClusterNamespace[]> {
  const drained = clusters.filter((cluster) => !profiles.some((profile) => profile.clusters.includes(cluster)));
  const ofEach = drained.map(async (cluster) => {
    const { namespaces = [] } = (await clusterStates.get(cluster)) ?? {};
    return namespaces.map(({ namespace }) => ({ cluster, namespace }));
  });
  return (await Promise.all(ofEach)).flat();
}
