import { LostJob, lostJobKeyOf } from '../../core/job/lost-job.ts';
import { expiryOf } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import type { LostJobClaim, LostJobOutcome, LostJobs } from '../../ports/lost-jobs.ts';
import { type DynamoTable, type Item, putNewItem, queryPartition, updateItem } from './dynamo-table.ts';

const LostItem = z.object({ lost: LostJob, outcome: z.optional(z.string()) });

/** Keeps lost jobs in the jobs table: one item for each job of a run, by its name. */
export function createDynamoLostJobs(table: DynamoTable): LostJobs {
  return {
    note: (lost) => note(table, lost),
    listWaiting: (ciSystem) => listWaiting(table, ciSystem),
    claim: (lost, claim) => claimLost(table, lost, claim),
    release: (lost, claim) => release(table, lost, claim),
    settle: (lost, outcome) => settle(table, lost, outcome),
  };
}

function partitionOf(ciSystem: string): string {
  return `${ciSystem}/lost`;
}

function keyOf(lost: LostJob): Item {
  return { partition: partitionOf(lost.ciSystem), item: lostJobKeyOf(lost) };
}

async function note(table: DynamoTable, lost: LostJob): Promise<void> {
  // davit remembers a lost job for as long as any job, and runs no older job again.
  const expiresAtEpochSeconds = expiryOf(lost.lostAtEpochMs);
  await putNewItem(table, 'partition', { ...keyOf(lost), lost, expiresAtEpochSeconds });
}

async function listWaiting(table: DynamoTable, ciSystem: string): Promise<LostJob[]> {
  const waiting: LostJob[] = [];
  for await (const item of queryPartition(table, partitionOf(ciSystem))) {
    const { lost, outcome } = LostItem.parse(item);
    if (outcome === undefined) waiting.push(lost);
  }
  return waiting;
}

async function claimLost(
  table: DynamoTable,
  lost: LostJob,
  { by, atEpochMs, untilEpochMs }: LostJobClaim,
): Promise<boolean> {
  // Two reconciles at once; a Gitea runs a job again as often as it is asked, once its run is over:
  //   A   nobody's? ──► A   asks ──► asked
  //   B                     nobody's? refused
  const claimed = await updateItem(table, {
    Key: keyOf(lost),
    UpdateExpression: 'SET #claim = :claim',
    ConditionExpression:
      'attribute_exists(#lost) AND attribute_not_exists(#outcome) AND (attribute_not_exists(#claim) OR #claim.#by = :by OR #claim.#until <= :at)',
    ExpressionAttributeNames: {
      '#lost': 'lost',
      '#outcome': 'outcome',
      '#claim': 'claim',
      '#by': 'by',
      '#until': 'untilEpochMs',
    },
    ExpressionAttributeValues: { ':claim': { by, untilEpochMs }, ':by': by, ':at': atEpochMs },
  });
  return claimed !== undefined;
}

async function release(table: DynamoTable, lost: LostJob, { by }: LostJobClaim): Promise<void> {
  await updateItem(table, {
    Key: keyOf(lost),
    UpdateExpression: 'REMOVE #claim',
    ConditionExpression: '#claim.#by = :by',
    ExpressionAttributeNames: { '#claim': 'claim', '#by': 'by' },
    ExpressionAttributeValues: { ':by': by },
  });
}

async function settle(table: DynamoTable, lost: LostJob, outcome: LostJobOutcome): Promise<void> {
  // A claim ends while its reconcile still writes; the first outcome stays:
  //   A   asks ──► asked                    B   asks: a later attempt has begun ──► unneeded? asked: refused
  await updateItem(table, {
    Key: keyOf(lost),
    UpdateExpression: 'SET #outcome = :outcome',
    ConditionExpression: 'attribute_exists(#lost) AND attribute_not_exists(#outcome)',
    ExpressionAttributeNames: { '#outcome': 'outcome', '#lost': 'lost' },
    ExpressionAttributeValues: { ':outcome': outcome },
  });
}
