import { type LaunchRecord, liveStatuses } from '../../core/launch/launch-record.ts';
import type { TestRuntime } from './start-test-runtime.ts';

/** Lists the launches that are live, up to 100. */
export async function liveLaunches({ runtime }: Pick<TestRuntime, 'runtime'>): Promise<LaunchRecord[]> {
  const page = await runtime.ports.launches.list({ statuses: liveStatuses, limit: 100 });
  return page?.launches ?? [];
}
