import { isLive, LaunchRecord } from '../../domain/launch-record.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { getItem, updateItem } from './dynamo-table.ts';

/**
 * Keeps registrations in the launches' records, each write a conditional one of a single item.
 *
 * @param table the launches table
 */
export function createDynamoRegistrations(table: DynamoTable): Registrations {
  return {
    begin: (agent, nonce, atEpochMs) => begin(table, agent, nonce, atEpochMs),
    complete: (agent, nonce, runner, atEpochMs) => complete(table, agent, nonce, runner, atEpochMs),
    bind: (launchId, runnerId, jobKey, atEpochMs) => bind(table, launchId, runnerId, jobKey, atEpochMs),
    retire: (launchId, reason, atEpochMs) => retire(table, launchId, reason, atEpochMs),
    noteDeregistered: (launchId, runnerId, atEpochMs) => noteDeregistered(table, launchId, runnerId, atEpochMs),
  };
}

/** The launch may be joined by this agent. None of its four parts ever becomes true again. */
const isJoinable = {
  condition:
    '#status IN (:launching, :connected) AND #plan.#agentName = :agentName ' +
    'AND attribute_not_exists(#retiring) AND attribute_not_exists(#runs)',
  names: {
    '#status': 'status',
    '#plan': 'plan',
    '#agentName': 'agentName',
    '#retiring': 'retiring',
    '#runs': 'runs',
    '#registration': 'registration',
    '#nonce': 'nonce',
  },
  values: { ':launching': 'launching', ':connected': 'connected' },
};

async function begin(
  table: DynamoTable,
  { launchId, agentName }: Parameters<Registrations['begin']>[0],
  nonce: string,
  atEpochMs: number,
): ReturnType<Registrations['begin']> {
  // An agent asks twice, because an answer is late. The later nonce completes:
  //   A   first? yes, nonce A ─────────────────────────────────────────► completes? nonce B: refused
  //   B                          first? no ──► another? yes, nonce B ──────► completes
  // Nothing takes a registration away but a relaunch, so whoever is refused twice finds a launch that it may not join.
  const { condition, names, values } = isJoinable;
  const joinable = { ...values, ':agentName': agentName };
  const first = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #registration = :registration',
    ConditionExpression: `${condition} AND attribute_not_exists(#registration.#nonce)`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...joinable, ':registration': { nonce, begunAtEpochMs: atEpochMs, count: 1 } },
  });
  if (first !== undefined) return LaunchRecord.parse(first);
  const another = await updateItem(table, {
    Key: { launchId },
    UpdateExpression:
      'SET #registration.#nonce = :nonce, #registration.#begunAt = :at, #registration.#count = #registration.#count + :one',
    ConditionExpression: `${condition} AND attribute_exists(#registration.#nonce)`,
    ExpressionAttributeNames: { ...names, '#begunAt': 'begunAtEpochMs', '#count': 'count' },
    ExpressionAttributeValues: { ...joinable, ':nonce': nonce, ':at': atEpochMs, ':one': 1 },
  });
  return another === undefined ? undefined : LaunchRecord.parse(another);
}

async function complete(
  table: DynamoTable,
  { launchId, agentName }: Parameters<Registrations['complete']>[0],
  nonce: string,
  runner: Parameters<Registrations['complete']>[2],
  atEpochMs: number,
): ReturnType<Registrations['complete']> {
  // A launch that is retired, or ended, while its agent registers. Whichever write comes first refuses the other, or shows
  // the other what it has to take out:
  //   agent    begins ──► registers 7 ──► completes ──► 200          begins ──► registers 7 ──► refused ──► removes 7
  //   retire                                   reads runner 7 ──► removes it        marks ──► reads no runner
  // A runner that may still be in the CI system is never overwritten: nobody would take it out.
  const { condition, names, values } = isJoinable;
  const completed = await updateItem(table, {
    Key: { launchId },
    UpdateExpression:
      'SET #status = :connected, #connectedAt = if_not_exists(#connectedAt, :at), #runner = :runner ' +
      'REMOVE #deregisteredAt, #signal',
    ConditionExpression:
      `${condition} AND #registration.#nonce = :nonce AND ` +
      '(attribute_not_exists(#runner) OR #runner.#id = :runnerId OR attribute_exists(#deregisteredAt))',
    ExpressionAttributeNames: {
      ...names,
      '#connectedAt': 'connectedAtEpochMs',
      '#runner': 'runner',
      '#id': 'id',
      '#deregisteredAt': 'deregisteredAtEpochMs',
      '#signal': 'signal',
    },
    ExpressionAttributeValues: {
      ...values,
      ':agentName': agentName,
      ':nonce': nonce,
      ':runner': runner,
      ':runnerId': runner.id,
      ':at': atEpochMs,
    },
  });
  return completed === undefined ? undefined : LaunchRecord.parse(completed).plan;
}

async function bind(
  table: DynamoTable,
  launchId: string,
  runnerId: number,
  jobKey: string,
  atEpochMs: number,
): ReturnType<Registrations['bind']> {
  // Two jobs are said to run on one runner; the first stays, and the other is told:
  //   in_progress of 8   runs nothing ──► runs 8
  //   in_progress of 9                        refused ──► reads 8
  // The agent registers between the write and the read, so the write is repeated:
  //   register                           ──► runner 7
  //   in_progress of 8   no runner: refused          reads runner 7 ──► runs 8
  const bound = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #runs = if_not_exists(#runs, :runs)',
    ConditionExpression: '#runner.#id = :runnerId AND (attribute_not_exists(#runs) OR #runs.#jobKey = :jobKey)',
    ExpressionAttributeNames: { '#runs': 'runs', '#runner': 'runner', '#id': 'id', '#jobKey': 'jobKey' },
    ExpressionAttributeValues: {
      ':runnerId': runnerId,
      ':runs': { jobKey, sinceEpochMs: atEpochMs },
      ':jobKey': jobKey,
    },
  });
  if (bound !== undefined) return LaunchRecord.parse(bound);
  const record = await getRecord(table, launchId);
  if (record?.runner?.id !== runnerId) return undefined;
  return record.runs === undefined ? bind(table, launchId, runnerId, jobKey, atEpochMs) : record;
}

async function retire(
  table: DynamoTable,
  launchId: string,
  reason: string,
  atEpochMs: number,
): ReturnType<Registrations['retire']> {
  // A job is given to an agent that is retired. Either order leaves the agent alone:
  //   in_progress   runs 8                                             runs 8, whatever else
  //   retire            runs something: refused, left alone    marked ──► looks again: runs 8, left alone
  const retired = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #retiring = if_not_exists(#retiring, :retiring)',
    ConditionExpression: '#status IN (:launching, :connected) AND attribute_not_exists(#runs)',
    ExpressionAttributeNames: { '#status': 'status', '#retiring': 'retiring', '#runs': 'runs' },
    ExpressionAttributeValues: {
      ':launching': 'launching',
      ':connected': 'connected',
      ':retiring': { reason, sinceEpochMs: atEpochMs },
    },
  });
  if (retired !== undefined) return LaunchRecord.parse(retired);
  const record = await getRecord(table, launchId);
  // The launch was asked for between the write and the read.
  const isRetirable = isLive(record) && record?.runs === undefined;
  return isRetirable ? retire(table, launchId, reason, atEpochMs) : record;
}

async function noteDeregistered(
  table: DynamoTable,
  launchId: string,
  runnerId: number,
  atEpochMs: number,
): ReturnType<Registrations['noteDeregistered']> {
  // The agent registers anew while the removal of its earlier runner is noted late:
  //   register   removes 7, noted ──► completes with 9
  //   sweep          removes 7 ───────────────────────► noted of 7? the runner is 9: refused
  await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #deregisteredAt = if_not_exists(#deregisteredAt, :at)',
    ConditionExpression: '#runner.#id = :runnerId',
    ExpressionAttributeNames: { '#deregisteredAt': 'deregisteredAtEpochMs', '#runner': 'runner', '#id': 'id' },
    ExpressionAttributeValues: { ':runnerId': runnerId, ':at': atEpochMs },
  });
}

async function getRecord(table: DynamoTable, launchId: string): Promise<LaunchRecord | undefined> {
  const item = await getItem(table, { launchId });
  return item === undefined ? undefined : LaunchRecord.parse(item);
}
