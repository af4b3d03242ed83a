import { agentNameOf } from '../../../../core/launch/names.ts';
import type { DavitOnCluster } from '../start-davit.ts';
import { until } from '../until.ts';
import { expectAgent, type Row, requestLaunch } from './expect-outcome.ts';

/** A launch that waits for its cluster, what it reports in the meantime, and what ends the wait. */
export interface Recovery extends Row {
  signal: string;
  detail: RegExp;
  /** @param agentName the launch's agent */
  mend: (davit: DavitOnCluster, agentName: string) => Promise<unknown>;
}

const signalMs = 60_000;

/** Waits until a launch reports what it waits for. @returns the detail that it reports */
export function untilSignal(davit: DavitOnCluster, launchId: string, code: string): Promise<string> {
  return until(`${launchId} waits for ${code}`, signalMs, async () => {
    const { signal } = await davit.launches.show(launchId);
    return signal?.code === code ? signal.detail : undefined;
  });
}

/** Expects a launch to wait and to report what for, and to succeed once that is there. */
export async function expectRecovery(davit: DavitOnCluster, row: Recovery): Promise<void> {
  const launchId = await requestLaunch(davit, row);
  const detail = await untilSignal(davit, launchId, row.signal);
  const before = await davit.left(launchId);
  await row.mend(davit, agentNameOf(launchId));
  await expectAgent(davit, launchId);

  expect(detail).toMatch(row.detail);
  // While its Service, or the Pod, is refused there is no Pod; and there is never a Pod without its Service.
  expect(['', 'ServiceList', 'ServiceList PodList']).toContain(before.map((object) => object.split(' ')[0]).join(' '));
}
