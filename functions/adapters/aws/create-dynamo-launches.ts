import { TransientError } from '../../domain/errors.ts';
import {
  ciTroubleCodes,
  LaunchRecord,
  type LaunchStatus,
  type LeftBehind,
  liveStatuses,
} from '../../domain/launch-record.ts';
import type { FoundLaunches, Launches } from '../../ports/launches.ts';
import { type DynamoTable, getItem, getItems, type Item, putNewItem, updateItem } from './dynamo-table.ts';
import { listLaunches } from './list-launches.ts';
import { readLaunchItem, recordsOf, unreadableOf } from './read-launch-item.ts';
import { timelineUpdate } from './timeline-update.ts';

/**
 * Keeps the launches in DynamoDB, each write a conditional one of a single item. Every record is checked. For one that
 * does not parse, a method throws the $ZodError that names its fields, or reports it beside the others.
 *
 * @see table-definitions.ts for the table
 */
export function createDynamoLaunches(table: DynamoTable): Launches {
  return {
    request: (record) => request(table, record),
    get: (launchId) => getRecord(table, launchId),
    getMany: (launchIds) => getRecords(table, launchIds),
    list: (query) => listLaunches(table, query),
    noteSignal: (launchId, signal, agentName) => noteSignal(table, launchId, signal, agentName),
    clearSignal: (launchId, seenWellAtEpochMs) => clearSignal(table, launchId, seenWellAtEpochMs),
    markConnected: (agent, atEpochMs, timeline) => markConnected(table, agent, atEpochMs, timeline),
    relaunch: (plan, ended) => relaunch(table, plan, ended),
    end: (launchId, ending, options) => end(table, launchId, ending, options),
    noteDiagnostics: (launchId, diagnostics) => noteDiagnostics(table, launchId, diagnostics),
    claimCleanUp: (launchId, atEpochMs, notSinceEpochMs) => claimCleanUp(table, launchId, atEpochMs, notSinceEpochMs),
    markCleaned: (launchId, atEpochMs, timeline) => markCleaned(table, launchId, atEpochMs, timeline),
    markLeft: (launchId, left) => markLeft(table, launchId, left),
  };
}

async function getRecord(table: DynamoTable, launchId: string): Promise<LaunchRecord | undefined> {
  const item = await getItem(table, { launchId });
  return item === undefined ? undefined : LaunchRecord.parse(item);
}

async function getRecords(table: DynamoTable, launchIds: readonly string[]): Promise<FoundLaunches> {
  // DynamoDB refuses a batch that names a key twice.
  const keys = [...new Set(launchIds)].map((launchId) => ({ launchId }));
  const read = (await getItems(table, keys)).map(readLaunchItem);
  const records = new Map(recordsOf(read).map((record) => [record.launchId, record]));
  return { records, unreadable: unreadableOf(read) };
}

async function request(table: DynamoTable, record: LaunchRecord): ReturnType<Launches['request']> {
  // Two deliveries of one webhook, and what their conditions make of it:
  //   A   put ──► created ──► starts the execution
  //   B       put ──► refused ──► reads A's record ──► starts the same execution, which is A's
  // A put whose answer was lost is repeated by the client and refused by itself: not created, but the record is in effect.
  if (await putNewItem(table, 'launchId', record)) return { created: true, record };
  const existing = await getRecord(table, record.launchId);
  if (existing === undefined) {
    throw new TransientError('WriteConflict', 'the launch had a record, which expired while it was being read', {
      launchId: record.launchId,
    });
  }
  return { created: false, record: existing };
}

async function noteSignal(
  table: DynamoTable,
  launchId: string,
  signal: Parameters<Launches['noteSignal']>[1],
  agentName: Parameters<Launches['noteSignal']>[2],
): ReturnType<Launches['noteSignal']> {
  const { code, container, detail } = signal;
  const sameContainer =
    container === undefined ? 'attribute_not_exists(#signal.#container)' : '#signal.#container = :container';
  const isSame = `#signal.#code = :code AND ${sameContainer}`;
  const isLive = '#status IN (:launching, :connected)';
  const mayNote = agentName === undefined ? isLive : `${isLive} AND #plan.#agentName = :agentName`;
  const names = {
    ...(agentName === undefined ? {} : presentAgent),
    '#status': 'status',
    '#signal': 'signal',
    '#code': 'code',
    '#container': 'container',
  };
  const values = {
    ':launching': 'launching',
    ':connected': 'connected',
    ':agentName': agentName,
    ':code': code,
    ':container': container,
  };
  // Two runs of one step (the first timed out, and is still at work) that see the same trouble, X:
  //   A   X? no ──► not X? yes, since 10:00:00 ─────────────────────► since 10:00:00
  //   B        X? no ─────────────────────────► not X? no ──► reads ──► since 10:00:00
  // A run that is still at work after the relaunch, and saw X at the old Pod. The new Pod's X is not as old:
  //   r1         sees X at 10:00:00 ──► no longer present: refused
  //   relaunch                     r2           r2 sees X ──► since 10:00:20
  const again = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #signal.#detail = :detail',
    ConditionExpression: `${mayNote} AND ${isSame}`,
    ExpressionAttributeNames: { ...names, '#detail': 'detail' },
    ExpressionAttributeValues: { ...values, ':detail': detail },
  });
  if (again !== undefined) return LaunchRecord.parse(again).signal ?? signal;
  const changed = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #signal = :signal',
    ConditionExpression: `${mayNote} AND NOT (${isSame})`,
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: { ...values, ':signal': signal },
  });
  const record = changed === undefined ? await getRecord(table, launchId) : LaunchRecord.parse(changed);
  return record?.signal ?? signal;
}

/** The signal of a CI system: a healthy Pod does not clear it. */
const ofCi = Object.fromEntries(ciTroubleCodes.map((code) => [`:${code}`, code]));

async function clearSignal(table: DynamoTable, launchId: string, seenWellAtEpochMs: number): Promise<void> {
  // Two runs of one step; A saw the Pod well before B saw new trouble, and writes late:
  //   A   well at 10:00:05 ──────────────────────────────────► since 10:00:09 > 10:00:05: refused
  //   B                      trouble at 10:00:09, recorded
  await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'REMOVE #signal',
    ConditionExpression: `#status = :launching AND #signal.#since <= :wellAt AND NOT #signal.#code IN (${Object.keys(ofCi).join()})`,
    ExpressionAttributeNames: { '#status': 'status', '#signal': 'signal', '#since': 'sinceEpochMs', '#code': 'code' },
    ExpressionAttributeValues: { ':launching': 'launching', ':wellAt': seenWellAtEpochMs, ...ofCi },
  });
}

async function markConnected(
  table: DynamoTable,
  { launchId, agentName }: Parameters<Launches['markConnected']>[0],
  atEpochMs: number,
  timeline: Parameters<Launches['markConnected']>[2],
): ReturnType<Launches['markConnected']> {
  // An agent whose 200 is lost asks again, while its job is completed:
  //   status   launching ──► connected ────────────────────────────► cleaning
  //   agent        asks: set, let in    asks: refused, reads it, let in    asks: refused, reads it, sent away
  const timed = timelineUpdate(timeline);
  const connected = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: `SET #status = :connected, #connectedAt = :at${timed.set}`,
    ConditionExpression: '#status = :launching AND #plan.#agentName = :agentName AND attribute_not_exists(#plan.#join)',
    ExpressionAttributeNames: {
      ...presentAgent,
      ...timed.names,
      '#status': 'status',
      '#connectedAt': 'connectedAtEpochMs',
      '#join': 'join',
    },
    ExpressionAttributeValues: {
      ...timed.values,
      ':launching': 'launching',
      ':connected': 'connected',
      ':agentName': agentName,
      ':at': atEpochMs,
    },
  });
  const record = connected === undefined ? await getRecord(table, launchId) : LaunchRecord.parse(connected);
  if (record?.status !== 'connected' || record.plan?.agentName !== agentName) return undefined;
  return record.plan.join === undefined ? record.plan : undefined;
}

const presentAgent = { '#plan': 'plan', '#agentName': 'agentName' };

async function relaunch(
  table: DynamoTable,
  plan: Parameters<Launches['relaunch']>[0],
  ended: Parameters<Launches['relaunch']>[1],
): ReturnType<Launches['relaunch']> {
  // An agent whose Pod is evicted while it connects; whichever write comes first refuses the other:
  //   agent     launching, r1 ──► connected                           launching, r2 ──► refused, 410
  //   relaunch                        connected ──► refused     launching, r1 ──► r2
  // An agent whose Pod is evicted while it registers. Its registration goes, and with it its claim to a runner:
  //   r1         begins, nonce A ──► registers 7 ──────────────► completes? no longer present: refused ──► removes 7
  //   relaunch                               launching, r1 ──► r2, no registration
  const { launchId } = plan;
  const relaunched = await updateItem(table, {
    Key: { launchId },
    UpdateExpression:
      'SET #plan = :plan, #generations = list_append(if_not_exists(#generations, :none), :ended) ' +
      'REMOVE #signal, #registration, #timeline',
    ConditionExpression: '#status = :launching AND #plan.#agentName = :agentName',
    ExpressionAttributeNames: {
      ...presentAgent,
      '#status': 'status',
      '#generations': 'generations',
      '#signal': 'signal',
      '#registration': 'registration',
      '#timeline': 'timeline',
    },
    ExpressionAttributeValues: {
      ':launching': 'launching',
      ':agentName': ended.agentName,
      ':plan': plan,
      ':ended': [ended],
      ':none': [],
    },
  });
  return relaunched === undefined ? getRecord(table, launchId) : LaunchRecord.parse(relaunched);
}

async function end(
  table: DynamoTable,
  launchId: string,
  ending: Parameters<Launches['end']>[1],
  options: Parameters<Launches['end']>[2] = {},
): ReturnType<Launches['end']> {
  // A step fails while the job is cancelled. The first ending stays, and both go on to clean up:
  //   step   launching ──► cleaning, failed
  //   job                      cleaning ──► refused ──► reads cleaning, failed
  // A job completes while its launch is requested. The second read finds a live record, so the write is repeated:
  //   queued                            put ──► launching
  //   completed   refused: no record               reads launching ──► cleaning
  // A step fails while the agent connects, unlessConnected. Whichever write comes first refuses the other:
  //   agent   launching ──► connected                             launching ──► refused, 410
  //   step                      launching? refused, left alone        launching ──► cleaning, failed
  // A surplus agent is retired while its CI system gives it a job, unlessRunning. Whichever write comes first is seen:
  //   CI       in_progress ──► runs 8                                       runs 8, of a launch that is over: bound, too
  //   retire                     runs nothing? refused, left alone    launching ──► cleaning
  const { unlessConnected = false, unlessRunning = false, timeline } = options;
  const timed = timelineUpdate(timeline);
  const endable: readonly LaunchStatus[] = unlessConnected ? ['launching'] : liveStatuses;
  const isEndable = `#status IN (${endable.map((status) => `:${status}`).join()})`;
  const ended = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: `SET #status = :cleaning, #ending = :ending${timed.set}`,
    ConditionExpression: unlessRunning ? `${isEndable} AND attribute_not_exists(#runs)` : isEndable,
    ExpressionAttributeNames: {
      ...timed.names,
      '#status': 'status',
      '#ending': 'ending',
      ...(unlessRunning ? { '#runs': 'runs' } : {}),
    },
    ExpressionAttributeValues: {
      ...timed.values,
      ...Object.fromEntries(endable.map((status) => [`:${status}`, status])),
      ':cleaning': 'cleaning',
      ':ending': ending,
    },
  });
  if (ended !== undefined) return LaunchRecord.parse(ended);
  const record = await getRecord(table, launchId);
  const isSpared = record === undefined || !endable.includes(record.status) || (unlessRunning && record.runs);
  return isSpared ? record : end(table, launchId, ending, options);
}

async function noteDiagnostics(
  table: DynamoTable,
  launchId: string,
  diagnostics: Parameters<Launches['noteDiagnostics']>[1],
): Promise<void> {
  // Two clean-ups of one launch; the second one reads when the first has begun to delete, and finds less:
  //   A   reads the log ──► deletes ──► kept
  //   B                         reads no log ──► refused
  await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #diagnostics = :diagnostics',
    ConditionExpression: '#status = :cleaning AND attribute_not_exists(#diagnostics)',
    ExpressionAttributeNames: { '#status': 'status', '#diagnostics': 'diagnostics' },
    ExpressionAttributeValues: { ':cleaning': 'cleaning', ':diagnostics': diagnostics },
  });
}

async function claimCleanUp(
  table: DynamoTable,
  launchId: string,
  atEpochMs: number,
  notSinceEpochMs: number,
): Promise<boolean> {
  // Two sweeps at once; one asks for the clean-up:
  //   A   asked at 09:58? ──► asked at 10:00, true
  //   B                           asked at 10:00: refused, false
  const claimed = await updateItem(table, {
    Key: { launchId },
    UpdateExpression: 'SET #askedAt = :at',
    ConditionExpression: '#status = :cleaning AND (attribute_not_exists(#askedAt) OR #askedAt <= :notSince)',
    ExpressionAttributeNames: { '#status': 'status', '#askedAt': 'cleanUpAskedAtEpochMs' },
    ExpressionAttributeValues: { ':cleaning': 'cleaning', ':at': atEpochMs, ':notSince': notSinceEpochMs },
  });
  return claimed !== undefined;
}

async function markCleaned(
  table: DynamoTable,
  launchId: string,
  atEpochMs: number,
  timeline: Parameters<Launches['markCleaned']>[2],
): Promise<void> {
  // Two clean-ups of one launch; the outcome is copied from the ending inside the item, so nothing is read before:
  //   A   cleaning ──► failed at 10:00:00
  //   B                    failed ──► refused: nothing is left to be done, which is what was asked for
  const timed = timelineUpdate(timeline);
  await markOver(table, launchId, {
    set: `#cleanedAt = :at${timed.set}`,
    names: { ...timed.names, '#cleanedAt': 'cleanedAtEpochMs' },
    values: { ...timed.values, ':at': atEpochMs },
  });
}

function markLeft(table: DynamoTable, launchId: string, left: LeftBehind): Promise<void> {
  return markOver(table, launchId, { set: '#left = :left', names: { '#left': 'left' }, values: { ':left': left } });
}

/** Moves a launch from `cleaning` to its ending's outcome. Repeatable: the second of two writes is refused. */
async function markOver(
  table: DynamoTable,
  launchId: string,
  { set, names, values }: { set: string; names: Record<string, string>; values: Item },
): Promise<void> {
  await updateItem(table, {
    Key: { launchId },
    UpdateExpression: `SET #status = #ending.#outcome, ${set}`,
    ConditionExpression: '#status = :cleaning',
    ExpressionAttributeNames: { ...names, '#status': 'status', '#ending': 'ending', '#outcome': 'outcome' },
    ExpressionAttributeValues: { ...values, ':cleaning': 'cleaning' },
  });
}
