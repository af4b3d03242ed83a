import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import { writtenLaunch } from '../../core/trace/written-of.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import type { Trace } from '../../ports/trace.ts';

/** A store of launches that traces each of its writes. */
export function tracedLaunches(store: RecordStore<LaunchRecord>, trace: Trace): RecordStore<LaunchRecord> {
  return {
    read: (key) => store.read(key),
    async write(write) {
      const revision = await store.write(write);
      const { key, command, after } = write;
      if (revision !== undefined) trace({ kind: 'launch', key, revision, command, fields: writtenLaunch(after) });
      return revision;
    },
  };
}
