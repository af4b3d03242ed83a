import { isJoinable, isLive, LaunchRecord } from '../../domain/launch-record.ts';
import type { BoundJob, Registrations } from '../../ports/registrations.ts';
import { type DynamoTable, getItem, updateItem } from './dynamo-table.ts';
import { timelineUpdate } from './timeline-update.ts';

/**
 * Keeps registrations in the launches' records, each write a conditional one of a single item.
 *
 * @param table the launches table
 */
export function createDynamoRegistrations(table: DynamoTable): Registrations {
  return {
    begin: (agent, nonce, askedAtEpochMs, timeline) => begin(table, agent, nonce, askedAtEpochMs, timeline),
    take: (agent, nonce, ownNonce) => take(table, agent, nonce, ownNonce),
    complete: (agent, nonce, runner, atEpochMs) => complete(table, agent, nonce, runner, atEpochMs),
    bind: (launchId, runnerId, job, atEpochMs) => bind(table, launchId, runnerId, job, atEpochMs),
    retire: (launchId, reason, atEpochMs) => retire(table, launchId, reason, atEpochMs),
    noteDeregistered: (launchId, runnerId, atEpochMs) => noteDeregistered(table, launchId, runnerId, atEpochMs),
  };
}

/** `isJoinable`, as a condition. */
const joinable = {
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
  askedAtEpochMs: number,
  timeline: Parameters<Registrations['begin']>[3],
): ReturnType<Registrations['begin']> {
  // An agent asks twice, because an answer is late. The later nonce completes:
  //   A   first? yes, nonce A ─────────────────────────────────────────► completes? nonce B: refused
  //   B                          first? no ──► another? yes, nonce B ──────► completes
  // A is held up until B is answered. It must not take out the runner that the agent is at work with:
  //   A   ────────────────────────────────────────────────► first? no ──► another? asked before B: late
  //   B   first? yes, nonce B ──► completes with 7 ──► 200
  // Only a relaunch removes a registration, so an agent that is refused twice is late, or may not join.
  const { condition, names, values } = joinable;
  const timed = timelineUpdate(timeline);
  const given = { ...values, ...timed.values, ':agentName': agentName };
  const first = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: `SET #registration = :registration${timed.set}`,
    ConditionExpression: `${condition} AND attribute_not_exists(#registration.#nonce)`,
    ExpressionAttributeNames: { ...names, ...timed.names },
    ExpressionAttributeValues: { ...given, ':registration': { nonce, begunAtEpochMs: askedAtEpochMs, count: 1 } },
  });
  if (first !== undefined) return LaunchRecord.parse(first);
  const another = await updateItem(table, {
    Key: { launchId },
    UpdateExpression:
      'SET #registration.#nonce = :nonce, #registration.#begunAt = :at, ' +
      `#registration.#count = #registration.#count + :one${timed.set}`,
    ConditionExpression: `${condition} AND #registration.#begunAt <= :at`,
    ExpressionAttributeNames: { ...names, ...timed.names, '#begunAt': 'begunAtEpochMs', '#count': 'count' },
    ExpressionAttributeValues: { ...given, ':nonce': nonce, ':at': askedAtEpochMs, ':one': 1 },
  });
  if (another !== undefined) return LaunchRecord.parse(another);
  const record = await getRecord(table, launchId);
  return isJoinable(record, agentName) ? record : undefined;
}

async function take(
  table: DynamoTable,
  { launchId, agentName }: Parameters<Registrations['take']>[0],
  nonce: string,
  ownNonce: string,
): ReturnType<Registrations['take']> {
  // register-runner runs twice for one question:
  //   A   takes: nonce A ──► registers 7 ──► completes with 7
  //   B                  takes? nonce A: refused
  // The answer to A's write is lost, and A writes again: the nonce is its own.
  const { condition, names, values } = joinable;
  const taken = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #registration.#nonce = :own',
    ConditionExpression: `${condition} AND #registration.#nonce IN (:nonce, :own)`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':agentName': agentName, ':nonce': nonce, ':own': ownNonce },
  });
  return taken === undefined ? undefined : LaunchRecord.parse(taken);
}

async function complete(
  table: DynamoTable,
  { launchId, agentName }: Parameters<Registrations['complete']>[0],
  nonce: string,
  runner: Parameters<Registrations['complete']>[2],
  atEpochMs: number,
): ReturnType<Registrations['complete']> {
  // A launch that is retired, or ended, while its agent registers. The first write refuses the other, or shows the other
  // which runner it must remove:
  //   agent    begins ──► registers 7 ──► completes ──► 200          begins ──► registers 7 ──► refused ──► removes 7
  //   retire                                   reads runner 7 ──► removes it        marks ──► reads no runner
  // davit never overwrites a runner that may still be in the CI system, because nothing else would remove it.
  const { condition, names, values } = joinable;
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
  job: BoundJob,
  atEpochMs: number,
): ReturnType<Registrations['bind']> {
  // Two jobs claim one runner; the first stays, and the second gets its record:
  //   in_progress of 8   runs nothing ──► runs 8
  //   in_progress of 9                        refused ──► reads 8
  // The agent registers between the write and the read, so the write is repeated:
  //   register                           ──► runner 7
  //   in_progress of 8   no runner: refused          reads runner 7 ──► runs 8
  const { end, ...run } = job;
  const bound = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: `SET #runs = if_not_exists(#runs, :runs)${end === undefined ? '' : ', #ran = if_not_exists(#ran, :ran)'}`,
    ConditionExpression: '#runner.#id = :runnerId AND (attribute_not_exists(#runs) OR #runs.#jobKey = :jobKey)',
    ExpressionAttributeNames: {
      '#runs': 'runs',
      '#runner': 'runner',
      '#id': 'id',
      '#jobKey': 'jobKey',
      ...(end === undefined ? {} : { '#ran': 'ran' }),
    },
    ExpressionAttributeValues: {
      ':runnerId': runnerId,
      ':runs': { ...run, sinceEpochMs: atEpochMs },
      ':jobKey': run.jobKey,
      ...(end === undefined ? {} : { ':ran': end }),
    },
  });
  if (bound !== undefined) return LaunchRecord.parse(bound);
  const record = await getRecord(table, launchId);
  if (record?.runner?.id !== runnerId) return undefined;
  return record.runs === undefined ? bind(table, launchId, runnerId, job, atEpochMs) : record;
}

async function retire(
  table: DynamoTable,
  launchId: string,
  reason: string,
  atEpochMs: number,
): ReturnType<Registrations['retire']> {
  // The CI system gives a job to an agent that davit is retiring. Either order leaves the agent alone:
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
  // The launch was requested between the write and the read.
  const isRetirable = isLive(record) && record?.runs === undefined;
  return isRetirable ? retire(table, launchId, reason, atEpochMs) : record;
}

async function noteDeregistered(
  table: DynamoTable,
  launchId: string,
  runnerId: number,
  atEpochMs: number,
): ReturnType<Registrations['noteDeregistered']> {
  // The agent registers again before davit notes the removal of its earlier runner:
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
