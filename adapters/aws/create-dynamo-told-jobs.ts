import { CommitReport } from '../../core/job/commit-report.ts';
import { recordRetentionSeconds } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import type { ToldJobs } from '../../ports/told-jobs.ts';
import { type DynamoTable, getItem, queryPartition } from './dynamo-table.ts';
import { writeUnlessNewer } from './unless-newer.ts';

/**
 * davit keeps a report for as long as its job. It keeps a withdrawn report for longer than an earlier one can be under
 * way.
 */
const retentionMs = { pending: recordRetentionSeconds * 1000, success: 24 * 3_600_000 };

const ToldItem = z.object({ report: CommitReport });

/** Keeps the reports on commits in the jobs table: one item for each job. */
export function createDynamoToldJobs(table: DynamoTable): ToldJobs {
  return { note: (report) => note(table, report), listPending: (ciSystem) => listPending(table, ciSystem) };
}

function partitionOf(ciSystem: string): string {
  return `${ciSystem}/told`;
}

async function note(table: DynamoTable, report: CommitReport): Promise<CommitReport> {
  // Lambda repeats a report, which then arrives after a newer one:
  //   pending at 10:00                                   ──► told at 10:01 > 10:00: refused ──► reads success
  //   success at 10:01   ──► told at 10:01
  const Key = { partition: partitionOf(report.ciSystem), item: report.jobKey };
  const { atEpochMs } = report;
  const expiresAtEpochMs = atEpochMs + retentionMs[report.state];
  const told = { attributes: { report }, timeAt: ['report', 'atEpochMs'], atEpochMs, expiresAtEpochMs } as const;
  const noted = await writeUnlessNewer(table, { Key, ...told });
  const item = noted ?? (await getItem(table, Key));
  return item === undefined ? report : ToldItem.parse(item).report;
}

async function listPending(table: DynamoTable, ciSystem: string): Promise<ReadonlyMap<string, CommitReport>> {
  const found = new Map<string, CommitReport>();
  for await (const item of queryPartition(table, partitionOf(ciSystem))) {
    const { report } = ToldItem.parse(item);
    if (report.state === 'pending') found.set(report.jobKey, report);
  }
  return found;
}
