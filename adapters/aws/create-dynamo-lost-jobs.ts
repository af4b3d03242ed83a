import { LostJobRecord } from '../../core/job/lost-job.ts';
import { lostJobsIn } from '../../logic/records/lost-jobs-in.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import { createDynamoRecords } from './create-dynamo-records.ts';
import { type DynamoTable, type Item, queryPartition } from './dynamo-table.ts';

/** Keeps lost jobs in the jobs table: one item for each job of a run, by its name. */
export function createDynamoLostJobs(table: DynamoTable): LostJobs {
  const records = createDynamoRecords<LostJobRecord>(table, {
    keyOf,
    read: (item) => ({ record: LostJobRecord.parse(item) }),
  });
  return lostJobsIn(records, async (ciSystem) => {
    const listed: LostJobRecord[] = [];
    for await (const item of queryPartition(table, partitionOf(ciSystem))) listed.push(LostJobRecord.parse(item));
    return listed;
  });
}

/** Splits a record's key at its first slash, behind the CI system. */
function keyOf(key: string): Item {
  const at = key.indexOf('/');
  return { partition: partitionOf(key.slice(0, at)), item: key.slice(at + 1) };
}

function partitionOf(ciSystem: string): string {
  return `${ciSystem}/lost`;
}
