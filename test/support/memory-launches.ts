import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { LaunchesIn } from '../../logic/records/launches-in.ts';
import { pageOf, splitByDamage, standbyOf } from '../../simulation/world/launch-pages.ts';
import { MemoryRecords } from './memory-records.ts';

/** The launches table in memory. */
export class MemoryLaunches extends LaunchesIn {
  readonly records: MemoryRecords<LaunchRecord>;

  constructor() {
    const records = new MemoryRecords<LaunchRecord>();
    super(records, {
      async getMany(launchIds) {
        const { launches, unreadable } = structuredClone(splitByDamage(records.withKeys(launchIds), records.damaged));
        return { records: new Map(launches.map((record) => [record.launchId, record])), unreadable };
      },
      list: async (query) => structuredClone(pageOf(records.all(), query, records.damaged)),
      listStandby: async (poolKey, limit) => standbyOf(records.all(), poolKey, limit),
    });
    this.records = records;
  }

  /** Makes a launch's record unreadable. */
  damage(launchId: string): void {
    this.records.damage(launchId);
  }
}
