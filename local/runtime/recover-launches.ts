import type { LaunchRecord, LaunchStatus } from '../../functions/domain/launch-record.ts';
import type { CleanUps } from '../../functions/ports/clean-ups.ts';
import type { Executions } from '../../functions/ports/executions.ts';
import type { Launches } from '../../functions/ports/launches.ts';

/** What recovering needs. */
export interface RecoverDeps {
  launches: Pick<Launches, 'list'>;
  executions: Pick<Executions, 'start'>;
  cleanUps: CleanUps;
  /** How the launch's execution is, if it ever was. */
  executionStatus: (launchId: string) => string | undefined;
  /** Says that an execution ended, as EventBridge would have if the runtime had lived to see it. */
  announceEnd: (launchId: string, status: string) => Promise<void>;
}

/** How many launches were found in the middle of something. */
export interface Recovered {
  started: number;
  cleaned: number;
}

const pageSize = 100;

/**
 * Picks up what a runtime that was killed left behind: launches that were accepted but not started are started, and
 * those that are over, or whose execution is, are cleaned up. Executions that were running are Step Functions' own to
 * recover.
 */
export async function recoverLaunches(deps: RecoverDeps): Promise<Recovered> {
  const recovered = { started: 0, cleaned: 0 };
  for (const { launchId, plan } of await all(deps, 'launching')) {
    const status = deps.executionStatus(launchId);
    if (status === undefined && plan !== undefined) {
      await deps.executions.start(plan);
      recovered.started += 1;
    } else if (status !== undefined && status !== 'RUNNING') {
      await deps.announceEnd(launchId, status);
      recovered.cleaned += 1;
    }
  }
  for (const { launchId } of await all(deps, 'cleaning')) {
    await deps.cleanUps.request(launchId);
    recovered.cleaned += 1;
  }
  return recovered;
}

async function all({ launches }: RecoverDeps, status: LaunchStatus): Promise<LaunchRecord[]> {
  const found: LaunchRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await launches.list({ statuses: [status], limit: pageSize, ...(cursor ? { cursor } : {}) });
    found.push(...(page?.launches ?? []));
    cursor = page?.cursor;
  } while (cursor !== undefined);
  return found;
}
