import type { LaunchRecord } from '../../functions/domain/launch-record.ts';
import { LaunchesIn } from '../../functions/records/launches-in.ts';
import { pageOf, splitByDamage } from '../../simulation/world/launch-pages.ts';
import { MemoryRecords } from './memory-records.ts';

/** The launches table in memory. */
export class MemoryLaunches extends LaunchesIn {
  readonly records: MemoryRecords<LaunchRecord>;

  constructor() {
    const records = new MemoryRecords<LaunchRecord>();
    const all = () => records.all().map(({ record }) => record);
    super(records, {
      async getMany(launchIds) {
        const found = all().filter(({ launchId }) => launchIds.includes(launchId));
        const { launches, unreadable } = splitByDamage(found, records.damaged);
        return { records: new Map(launches.map((record) => [record.launchId, record])), unreadable };
      },
      list: async (query) => pageOf(all(), query, records.damaged),
    });
    this.records = records;
  }

  /** Makes a launch's record unreadable. */
  damage(launchId: string): void {
    this.records.damage(launchId);
  }
}
