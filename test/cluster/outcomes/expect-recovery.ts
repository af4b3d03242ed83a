import { expect } from '@jest/globals';
import { agentNameOf } from '../../../functions/domain/names.ts';
import type { DavitOnCluster } from '../start-davit.ts';
import { until } from '../until.ts';
import { expectAgent, type Row, requestLaunch } from './expect-outcome.ts';

/** A launch that waits for its cluster, what is told meanwhile, and what ends the wait. */
export interface Recovery extends Row {
  signal: string;
  detail: RegExp;
  /** @param agentName of the launch */
  mend: (davit: DavitOnCluster, agentName: string) => Promise<unknown>;
}

const signalMs = 60_000;

/** Waits until a launch tells what it waits for. @returns in which words */
export function untilSignal(davit: DavitOnCluster, launchId: string, code: string): Promise<string> {
  return until(`${launchId} waits for ${code}`, signalMs, async () => {
    const { signal } = await davit.launches.show(launchId);
    return signal?.code === code ? signal.detail : undefined;
  });
}

/** Expects a launch to wait and to say for what, and to work once that is there. */
export async function expectRecovery(davit: DavitOnCluster, row: Recovery): Promise<void> {
  const launchId = await requestLaunch(davit, row);
  const detail = await untilSignal(davit, launchId, row.signal);
  const before = await davit.left(launchId);
  await row.mend(davit, agentNameOf(launchId));
  await expectAgent(davit, launchId);

  expect(detail).toMatch(row.detail);
  // No Pod while its Service, or it, is refused; and never one without its Service.
  expect(['', 'ServiceList', 'ServiceList PodList']).toContain(before.map((object) => object.split(' ')[0]).join(' '));
}
