import { isLive } from '../../../functions/domain/launch-record.ts';
import { labelKeys } from '../../../functions/domain/names.ts';
import type { ObjectPort } from '../../../functions/ports/cluster.ts';
import { recoverLaunches } from '../../../local/runtime/recover-launches.ts';
import type { SimulatedDeps } from './davit.ts';
import type { SimulatedExecutions } from './executions.ts';

const namespace = 'agents';
const ours = { [labelKeys.managedBy]: 'davit' };

/**
 * Picks up what was left behind: launches whose execution is gone or over, launches that are being cleaned up, and
 * labelled objects whose launch is over or unknown.
 */
export async function sweep(deps: SimulatedDeps, executions: SimulatedExecutions): Promise<void> {
  await recoverLaunches({
    launches: deps.launches,
    executions: deps.executions,
    cleanUps: deps.cleanUps,
    executionStatus: (launchId) => executions.status(launchId)?.status,
    announceEnd: async (launchId, status) => {
      if (status !== 'SUCCEEDED') executions.announce(launchId);
    },
  });
  const { services, pods } = await deps.openCluster('sandbox');
  await sweepKind(deps, services);
  await sweepKind(deps, pods);
}

async function sweepKind<
  View extends { metadata: { name: string; uid: string; labels?: Record<string, string> | undefined } },
>({ launches }: SimulatedDeps, objects: ObjectPort<View>): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await objects.list(namespace, ours, cursor);
    for (const { metadata } of page.items) {
      const record = await launches.get(metadata.labels?.[labelKeys.launchId] ?? '');
      if (!isLive(record)) await objects.delete(namespace, metadata.name, metadata.uid);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}
