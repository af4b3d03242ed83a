import type { Ending, LaunchRecord } from '../../../functions/domain/launch-record.ts';
import { isLive } from '../../../functions/domain/launch-record.ts';
import { MemoryLaunches } from '../../support/memory-launches.ts';

/** A launches table that counts the writes that had an effect. */
export class WatchedLaunches extends MemoryLaunches {
  writes = 0;

  override async request(record: LaunchRecord): Promise<{ created: boolean; record: LaunchRecord }> {
    const requested = await super.request(record);
    if (requested.created) this.writes += 1;
    return requested;
  }

  override async markConnected(...args: Parameters<MemoryLaunches['markConnected']>): Promise<boolean> {
    const isConnected = await super.markConnected(...args);
    if (isConnected) this.writes += 1;
    return isConnected;
  }

  override async end(launchId: string, ending: Ending): Promise<LaunchRecord | undefined> {
    if (isLive(await this.get(launchId))) this.writes += 1;
    return super.end(launchId, ending);
  }
}
