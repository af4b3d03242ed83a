import type { ClusterState } from '../../core/cluster/cluster-state.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { Written } from '../../core/trace/written.ts';
import { writtenCluster, writtenJob, writtenLaunch } from '../../core/trace/written-of.ts';
import type { RecordStore } from '../../ports/record-store.ts';
import type { Trace } from '../../ports/trace.ts';

/** What every line of a trace has of the write of a record. */
interface RecordLine {
  key: string;
  revision: number;
  command: string;
}

/** A store of launches that traces each of its writes. */
export function tracedLaunches(store: RecordStore<LaunchRecord>, trace: Trace): RecordStore<LaunchRecord> {
  return traced(store, trace, (line, after) => ({ kind: 'launch', ...line, fields: writtenLaunch(after) }));
}

/** A store of jobs that traces each of its writes. */
export function tracedJobs(store: RecordStore<JobRecord>, trace: Trace): RecordStore<JobRecord> {
  return traced(store, trace, (line, after) => ({ kind: 'job', ...line, fields: writtenJob(after) }));
}

/** A store of clusters' states that traces each of its writes. */
export function tracedClusters(store: RecordStore<ClusterState>, trace: Trace): RecordStore<ClusterState> {
  return traced(store, trace, (line, after) => ({ kind: 'cluster', ...line, fields: writtenCluster(after) }));
}

function traced<Fields>(
  store: RecordStore<Fields>,
  trace: Trace,
  writtenOf: (line: RecordLine, after: Fields) => Written,
): RecordStore<Fields> {
  return {
    read: (key) => store.read(key),
    async write(write) {
      const revision = await store.write(write);
      const { key, command, after } = write;
      if (revision !== undefined) trace(writtenOf({ key, revision, command }, after));
      return revision;
    },
  };
}
