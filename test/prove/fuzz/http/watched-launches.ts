import { type Ending, isLive, type LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { MemoryLaunches } from '../../../support/memory-launches.ts';

/** A launches table that counts effective writes. */
export class WatchedLaunches extends MemoryLaunches {
  writes = 0;

  override async request(record: LaunchRecord): Promise<{ created: boolean; record: LaunchRecord }> {
    const requested = await super.request(record);
    if (requested.created) this.writes += 1;
    return requested;
  }

  override async markConnected(...args: Parameters<MemoryLaunches['markConnected']>): Promise<LaunchPlan | undefined> {
    const plan = await super.markConnected(...args);
    if (plan !== undefined) this.writes += 1;
    return plan;
  }

  override async end(launchId: string, ending: Ending): Promise<LaunchRecord | undefined> {
    if (isLive(await this.get(launchId))) this.writes += 1;
    return super.end(launchId, ending);
  }
}
