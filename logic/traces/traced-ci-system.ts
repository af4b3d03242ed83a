import type { CiScope } from '../../core/ci/ci-scope.ts';
import { present } from '../../core/present.ts';
import type { RunnerCommand } from '../../core/trace/written.ts';
import type { CiSystem, RunnerRemoval } from '../../ports/ci-system.ts';
import type { Trace } from '../../ports/trace.ts';

/** Who changes the runners of which CI system. */
interface RunnerSource {
  /** Its configured name. */
  ciSystem: string;
  /** The function that asks. */
  by: string;
}

/**
 * A CI system whose changed runners are traced, each once the CI system has answered. That a runner shall get no more jobs is
 * traced before, too: another function may have seen that it is so before the answer is here.
 */
export function tracedCiSystem<System extends CiSystem>(
  system: System,
  { ciSystem, by }: RunnerSource,
  trace: Trace,
): System {
  const { settleMs } = system;
  const traced = (command: RunnerCommand, runnerId: number, result?: RunnerRemoval) =>
    trace({ kind: 'runner', key: `${ciSystem}/${runnerId}`, command, fields: present({ by, settleMs, result }) });
  const limitToOneJob = async (scope: CiScope, runnerId: number): Promise<boolean> => {
    traced('askToStop', runnerId);
    const isStopped = (await system.limitToOneJob?.(scope, runnerId)) === true;
    if (isStopped) traced('stopAssigning', runnerId);
    return isStopped;
  };
  return {
    ...system,
    ...(system.limitToOneJob === undefined ? {} : { limitToOneJob }),
    async register(scope, wanted) {
      const registration = await system.register(scope, wanted);
      traced('register', registration.runner.id);
      return registration;
    },
    async stopAssigning(scope, runnerId) {
      traced('askToStop', runnerId);
      await system.stopAssigning(scope, runnerId);
      traced('stopAssigning', runnerId);
    },
    async removeIfIdle(scope, runnerId, pinnedTo) {
      const result = await system.removeIfIdle(scope, runnerId, pinnedTo);
      traced('removeIfIdle', runnerId, result);
      return result;
    },
  };
}
