import type { CiScope } from '../../core/ci/ci-scope.ts';
import { haveSameLabels } from '../../core/ci/same-labels.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { QueuedRunners } from '../../ports/job-queue.ts';
import type { QueueRemoval, QueueUse } from '../../ports/queue-removal.ts';
import type { Github } from './github.ts';
import type { ScaleSetService } from './scale-set-service.ts';

/** GitHub's default group has the id 1. */
const defaultGroupId = 1;

/** The path of the scale sets, in GitHub's service for them. */
export const setsPath = '/_apis/runtime/runnerscalesets';

/** GitHub's name for the refusal of a request about a set that is removed. */
export const setNotFound = 'RunnerScaleSetNotFoundException';

const Labels = z.nullish(z.array(z.object({ name: z.string() })));
const ScaleSet = z.object({ id: z.int(), labels: Labels });
type ScaleSet = z.infer<typeof ScaleSet>;
const Listed = z.object({ value: z.array(ScaleSet) });
const Used = z.object({ statistics: z.object({ totalRegisteredRunners: z.int(), totalAssignedJobs: z.int() }) });
const Groups = z.object({ value: z.array(z.object({ id: z.int() })) });

/** One scale set, and where it is. */
export interface ScaleSetPlace {
  /** The configured name of the CI system, for error messages. */
  name: string;
  setName: string;
  scope: CiScope;
  service: ScaleSetService;
  checkGroup: Github['checkGroup'];
}

/** Finds, makes and removes a scale set. Its methods throw as those of `CiSystem` do. */
export interface ScaleSets extends QueueRemoval {
  /**
   * Makes the set if there is none: GitHub removes a set that nobody uses.
   *
   * @param mayCorrect whether a set with other labels gets these
   * @returns its id
   */
  put(runners: QueuedRunners, mayCorrect: boolean): Promise<number>;
  /** @throws TerminalError CiRefused for a set with other labels */
  check(runners: QueuedRunners): Promise<void>;
}

/** Opens the scale set of a place, whether it is there or not. */
export function openScaleSets({ name, setName, scope, service, checkGroup }: ScaleSetPlace): ScaleSets {
  async function groupIdOf({ group, repositories }: Omit<QueuedRunners, 'labels'>): Promise<number> {
    if (group === undefined || 'repository' in scope) return defaultGroupId;
    await checkGroup(scope, { group, ...present({ repositories }) });
    const path = `/_apis/runtime/runnergroups/?groupName=${encodeURIComponent(group)}`;
    const [found] = (await service.read({ method: 'GET', path }, Groups)).value;
    if (found !== undefined) return found.id;
    throw new TerminalError('CiRefused', `${name}: there is no runner group ${group}`);
  }

  async function find(groupId: number): Promise<ScaleSet | undefined> {
    const path = `${setsPath}?runnerGroupId=${groupId}&name=${encodeURIComponent(setName)}`;
    const [found] = (await service.read({ method: 'GET', path }, Listed)).value;
    return found;
  }

  return {
    put: async (runners, mayCorrect) => {
      const groupId = await groupIdOf(runners);
      const there = await find(groupId);
      if (there !== undefined && (!mayCorrect || hasLabels(there, runners.labels))) return there.id;
      const body = {
        name: setName,
        runnerGroupId: groupId,
        labels: runners.labels.map((label) => ({ type: 'System', name: label })),
        // GitHub's image is the latest runner: an update would take the job's time.
        RunnerSetting: { disableUpdate: true },
      };
      const request =
        there === undefined
          ? { method: 'POST' as const, path: setsPath, body }
          : { method: 'PATCH' as const, path: `${setsPath}/${there.id}`, body };
      return (await service.read(request, ScaleSet)).id;
    },
    check: async (runners) => {
      const there = await find(await groupIdOf(runners));
      if (there === undefined || hasLabels(there, runners.labels)) return;
      const labels = there.labels?.map((label) => label.name).join(', ') ?? '';
      const wanted = runners.labels.join(', ');
      throw new TerminalError(
        'CiRefused',
        `${name}: the scale set ${setName} has the labels ${labels}, and its profile has ${wanted}`,
      );
    },
    queueUse: async (group): Promise<QueueUse | undefined> => {
      const there = await find(await groupIdOf(present({ group })));
      if (there === undefined) return undefined;
      const { statistics } = await service.read({ method: 'GET', path: `${setsPath}/${there.id}` }, Used);
      return { runners: statistics.totalRegisteredRunners, jobs: statistics.totalAssignedJobs };
    },
    removeQueue: async (group) => {
      const there = await find(await groupIdOf(present({ group })));
      if (there === undefined) return 'gone';
      const request = { method: 'DELETE' as const, path: `${setsPath}/${there.id}` };
      const { exception } = await service.call(request, [setNotFound]);
      return exception === undefined ? 'removed' : 'gone';
    },
  };
}

function hasLabels({ labels }: ScaleSet, wanted: readonly string[]): boolean {
  return haveSameLabels(
    (labels ?? []).map((label) => label.name),
    wanted,
  );
}
