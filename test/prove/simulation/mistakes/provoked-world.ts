import { giteaPageSize } from '../../../../ci/gitea/gitea-pages.ts';
import { readOverlapping } from '../../../../ci/overlapping-pages.ts';
import { tracedCiSystem } from '../../../../logic/traces/traced-ci-system.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import type { Scenario } from '../../../../simulation/run-seed.ts';
import type { SimulatedDeps } from '../../../../simulation/world/davit.ts';
import type { FaultKind } from '../../../../simulation/world/fault-kinds.ts';
import type { Invocation } from '../../../../simulation/world/invocation.ts';
import type { World } from '../../../../simulation/world/world.ts';

/** What worlds are like in which a mistake is about to show: it is too seldom by chance. */
export interface Provocation {
  /** The faults, each of which hits at six of ten opportunities. */
  faults?: readonly FaultKind[];
  /** How many jobs are in the queue. */
  queued: number;
  /** The longest page of a Gitea's lists, which davit then reads with its own reader of Gitea's pages. */
  giteaPage?: number;
}

/** Describes a world that provokes a mistake. */
export function provoking({ faults = [], queued, giteaPage }: Provocation): Scenario {
  return {
    plan: new Map(faults.map((kind) => [kind, 0.6])),
    queued,
    // Each of the mistakes is about a system that sends webhooks.
    ci: 'webhooks',
    ...(giteaPage === undefined
      ? {}
      : { mutation: { deps: (deps, world, invocation) => withPages(deps, world, invocation, giteaPage) } }),
  };
}

/**
 * The simulated CI system gives whole lists. Here davit's functions read those of a Gitea in pages, as `ci/gitea` does: by
 * `readOverlapping`. Only a Gitea's busy runners are looked for in a list.
 */
function withPages(deps: SimulatedDeps, { queue, core }: World, invocation: Invocation, most: number): SimulatedDeps {
  const { server } = queue;
  if (server.provider !== 'gitea') return deps;
  const paged = async <Item extends { id: number }>(all: readonly Item[]) =>
    readOverlapping(giteaPageSize, async (limit, page) => {
      const length = Math.min(limit, most);
      return { items: all.slice((page - 1) * length, page * length), total: all.length };
    });
  const ofStatus = <Job extends { id: number; status: string }>(jobs: readonly Job[], status: string) =>
    paged(jobs.filter((job) => job.status === status));
  return {
    ...deps,
    ciSystemOf: (name) => {
      const ci = deps.ciSystemOf(name);
      const removing: CiSystem = {
        ...ci,
        removeIfIdle: async (_scope, runnerId) => {
          queue.removing(runnerId);
          queue.retiring(runnerId);
          const jobs = await invocation.reads(server, () => server.jobs);
          const { items } = await ofStatus(jobs, 'in_progress');
          if (items.some(({ runner }) => runner?.id === runnerId)) return 'busy';
          const isRemoved = await invocation.writes(server, () => server.remove(runnerId, invocation.functionName));
          return isRemoved ? 'removed' : 'gone';
        },
      };
      const by = invocation.functionName;
      const traced = tracedCiSystem(removing, { ciSystem: name, by }, (written) => core.history.trace(() => written));
      return {
        ...ci,
        removeIfIdle: (scope, runnerId) => traced.removeIfIdle(scope, runnerId),
        runnersNamed: async (scope, runnerName) => (await paged(await ci.runnersNamed(scope, runnerName))).items,
        findRunners: async (scope, prefix) => (await paged(await ci.findRunners(scope, prefix))).items,
        listJobs: async (scope, statuses) => {
          const jobs = (await ci.listJobs(scope, statuses))?.map((job) => ({ ...job, id: Number(job.jobId) }));
          if (jobs === undefined) return undefined;
          const lists = await Promise.all(statuses.map((status) => ofStatus(jobs, status)));
          return lists.flatMap(({ items }) => items).toSorted((one, other) => one.id - other.id);
        },
      };
    },
  };
}
