import { watchedMs } from '../../core/cluster/cluster-state.ts';
import { launchesMs } from '../../functions/probe/probe.ts';
import { busyMs } from '../../functions/probe/probe-cluster.ts';
import { pollIntervalMinutes } from '../../runtime/function-settings.ts';
import { assumed } from './assumptions.ts';
import type { Counts, LaunchCounts } from './counts.ts';
import { type PriceName, prices } from './prices.ts';
import type { StackShape } from './stack-shape.ts';

/** One line of a bill. */
export interface Line {
  what: string;
  quantity: number;
  price: PriceName;
  usd: number;
}

/** AWS's bill for one function in one launch, over all its invocations. */
export interface BilledFunction {
  name: string;
  invocations: number;
  measuredSeconds: number;
  billedSeconds: number;
  memoryMiB: number;
  gbSeconds: number;
}

const gb = 1_000_000_000;

/** Adds up lines. @returns US dollars */
export function totalUsd(lines: readonly Line[]): number {
  return sum(lines.map(({ usd }) => usd));
}

/** The cost of 1,000 successful launches, from the webhook to the last clean-up. */
export function costOfThousand(launch: LaunchCounts, shape: StackShape): Line[] {
  const { transitions, failures, calls, logBytes, recordBytes } = launch;
  const functions = billedFunctions(launch, shape);
  const invocations = sum(functions.map((one) => one.invocations));
  const requests = httpRequests(launch);
  const gbSecondsOf = (isMeant: (name: string) => boolean) =>
    sum(functions.filter(({ name }) => isMeant(name)).map(({ gbSeconds }) => gbSeconds));
  const loggedBytes = logBytes + failures * assumed.failureLogBytes + requests * assumed.accessLogBytes;
  const indexBytes = shape.indexes * assumed.indexEntryBytes;
  const keptGbMonths =
    ((recordBytes + indexBytes + assumed.tokenBytes) / gb) * (assumed.recordDays / assumed.monthDays);
  const perLaunch: [what: string, quantity: number, price: PriceName][] = [
    ['Step Functions: states entered and repeated', transitions, 'transition'],
    ['Lambda: publish-token, while the agent starts', gbSecondsOf((name) => name === 'publish-token'), 'arm64GbSecond'],
    ['Lambda: all other functions', gbSecondsOf((name) => name !== 'publish-token'), 'arm64GbSecond'],
    ['Lambda: invocations', invocations, 'invocation'],
    ['HTTP API: webhooks and connects', requests, 'httpRequest'],
    ['DynamoDB: writes, including the index', writeUnits(launch), 'writeUnit'],
    ['DynamoDB: reads', readUnits(launch), 'readUnit'],
    ['DynamoDB: records, for two weeks', keptGbMonths, 'tableStorage'],
    ['DynamoDB: point-in-time recovery of them', keptGbMonths, 'pointInTimeRecovery'],
    ['EventBridge: events', calls['events:PutEvents'] ?? 0, 'event'],
    ['X-Ray: traces', traces(launch, shape), 'trace'],
    ['CloudWatch Logs: taken in', loggedBytes / gb, 'logIngestion'],
    ['CloudWatch Logs: kept', (loggedBytes / gb) * (shape.logRetentionDays / assumed.monthDays), 'logStorage'],
    ['Secrets Manager: reads', calls['secretsmanager:GetSecretValue'] ?? 0, 'secretCall'],
    ['Data to the internet: answers', (requests * assumed.answerBytes) / gb, 'transferOut'],
  ];
  return perLaunch.map(([what, quantity, price]) => line(what, quantity * 1000, price));
}

/** The functions of the states that a launch without a Service skips. */
export const ofServices: readonly string[] = ['create-service', 'poll-node-port'];

/** What 1,000 launches cost more with a Service. */
export function costOfServices({ launch }: Counts, shape: StackShape): Line[] {
  const added = billedFunctions(launch, shape).filter(({ name }) => ofServices.includes(name));
  const invocations = sum(added.map((one) => one.invocations));
  const perLaunch: [what: string, quantity: number, price: PriceName][] = [
    ['Step Functions: the states CreateService and PollNodePort', added.length, 'transition'],
    ['Lambda: their functions', sum(added.map(({ gbSeconds }) => gbSeconds)), 'arm64GbSecond'],
    ['Lambda: invocations', invocations, 'invocation'],
    ['CloudWatch Logs: taken in', (invocations * logBytesOf(launch)) / gb, 'logIngestion'],
  ];
  return perLaunch.map(([what, quantity, price]) => line(what, quantity * 1000, price));
}

/** The cost of a month without launches. */
export function costOfIdleMonth(counts: Counts, shape: StackShape): Line[] {
  const sweeps = shape.sweepsPerHour * assumed.monthHours;
  const sweep = functionOf(shape, 'sweep');
  const seconds = billedSeconds(counts.sweep.seconds);
  const logged = (sweeps * counts.sweep.logBytes) / gb;
  const secretReads = shape.kubeconfigs * ((assumed.monthHours * 3600) / assumed.secretSeconds);
  return [
    line('CloudWatch: dashboard', shape.dashboards, 'dashboard'),
    line('CloudWatch: alarms, by the metrics that they watch', shape.alarmMetrics, 'alarmMetric'),
    line('CloudWatch: metrics that the schedules emit each minute', counts.metrics.idle, 'metric'),
    line('Secrets Manager: the credential key, and the secrets of davit.yaml', shape.secrets, 'secret'),
    line("Secrets Manager: the sweep's reads of kubeconfigs", secretReads, 'secretCall'),
    line('Sweeps: EventBridge Scheduler', sweeps, 'scheduled'),
    line('Sweeps: Lambda invocations', sweeps, 'invocation'),
    line('Sweeps: Lambda', sweeps * seconds * gbOf(sweep.memoryMiB), 'arm64GbSecond'),
    line('Sweeps: X-Ray', sweep.isTraced ? sweeps : 0, 'trace'),
    line(
      'Sweeps: DynamoDB reads',
      sweeps * sum(of(counts.sweep.calls, 'dynamodb:Query')) * assumed.emptyQueryUnits,
      'readUnit',
    ),
    line('Sweeps: logs taken in', logged, 'logIngestion'),
    line('Sweeps: logs kept', logged * (shape.logRetentionDays / assumed.monthDays), 'logStorage'),
    ...reconcileLines(shape),
    ...probeLines(shape),
    line('KMS: keys of your own', shape.customerKeys, 'customerKey'),
  ].filter(({ quantity }) => quantity > 0);
}

/** A reconcile of an idle CI system asks for its jobs and runners. */
function reconcileLines(shape: StackShape): Line[] {
  const reconciles = shape.reconcilesPerHour * assumed.monthHours;
  if (reconciles === 0) return [];
  const { memoryMiB, isTraced } = functionOf(shape, 'reconcile');
  const { seconds, readUnits: units, logBytes } = assumed.idleReconcile;
  const logged = (reconciles * logBytes) / gb;
  const secretReads = shape.ciCredentials * ((assumed.monthHours * 3600) / assumed.secretSeconds);
  return [
    line('Reconciles: EventBridge Scheduler', reconciles, 'scheduled'),
    line('Reconciles: Lambda invocations', reconciles, 'invocation'),
    line('Reconciles: Lambda', reconciles * billedSeconds(seconds) * gbOf(memoryMiB), 'arm64GbSecond'),
    line('Reconciles: X-Ray', isTraced ? reconciles : 0, 'trace'),
    line('Reconciles: DynamoDB reads', reconciles * units, 'readUnit'),
    line("Reconciles: reads of the CI system's credential", secretReads, 'secretCall'),
    line('Reconciles: logs taken in', logged, 'logIngestion'),
    line('Reconciles: logs kept', logged * (shape.logRetentionDays / assumed.monthDays), 'logStorage'),
  ];
}

/** A probe of idle clusters looks twice, and writes each cluster's state once, which publish-events reads. */
function probeLines(shape: StackShape): Line[] {
  const probes = shape.probesPerHour * assumed.monthHours;
  const { memoryMiB, isTraced } = functionOf(shape, 'probe');
  const publisher = functionOf(shape, 'publish-events');
  const published = billedSeconds(assumed.publishEventSeconds) * gbOf(publisher.memoryMiB);
  const gbSeconds = billedSeconds(assumed.idleProbeSeconds) * gbOf(memoryMiB) + shape.clusters * published;
  const { readUnit, writeUnit } = assumed.idleProbeUnits;
  return [
    line('Probes: EventBridge Scheduler', probes, 'scheduled'),
    line('Probes: Lambda invocations', probes * (1 + shape.clusters), 'invocation'),
    line('Probes: Lambda', probes * gbSeconds, 'arm64GbSecond'),
    line('Probes: X-Ray', isTraced ? probes : 0, 'trace'),
    line('Probes: DynamoDB reads', probes * shape.clusters * readUnit, 'readUnit'),
    line('Probes: DynamoDB writes', probes * shape.clusters * writeUnit, 'writeUnit'),
  ];
}

/**
 * The cost of the probe in an hour in which a launch is always under way: one function that never ends before its time, for
 * all launches and clusters.
 *
 * @param launches how many are under way: only the list of them depends on it
 */
export function costOfProbingHour(counts: Counts, shape: StackShape, launches: number): Line[] {
  const { memoryMiB } = functionOf(shape, 'probe');
  const looks = 3_600_000 / busyMs;
  const lists = 3_600_000 / launchesMs;
  return [
    line('Lambda: one function, all the time', 3600 * gbOf(memoryMiB), 'arm64GbSecond'),
    line('Lambda: invocations', shape.probesPerHour, 'invocation'),
    line("DynamoDB: reads of the clusters' states", looks * shape.clusters, 'readUnit'),
    line(
      `DynamoDB: reads of the list of ${launches} launches`,
      lists * listUnits(launches, counts.launch.recordBytes),
      'readUnit',
    ),
  ];
}

/** Read units of a list of launches, eventually consistent: of its part of the index, and of each record. */
export function listUnits(launches: number, recordBytes: number): number {
  return (Math.ceil((launches * assumed.indexEntryBytes) / 4096) + launches * Math.ceil(recordBytes / 4096)) / 2;
}

/** The cost of polling idle CI systems for a month: one function for all of them, which never ends. */
export function costOfPollingMonth(shape: StackShape): Line[] {
  const runs = (assumed.monthHours * 60) / pollIntervalMinutes;
  const { readUnits: units, logBytes } = assumed.idlePoll;
  const logged = (runs * logBytes) / gb;
  return [
    line(
      'Lambda: one function, all the time',
      assumed.monthHours * 3600 * gbOf(functionOf(shape, 'poll-ci').memoryMiB),
      'arm64GbSecond',
    ),
    line('Lambda: invocations', runs, 'invocation'),
    line('EventBridge Scheduler', runs, 'scheduled'),
    line('DynamoDB: reads of the cursor', runs * units, 'readUnit'),
    line(
      "Secrets Manager: reads of the CI system's token",
      (assumed.monthHours * 3600) / assumed.secretSeconds,
      'secretCall',
    ),
    line('Secrets Manager: its token and the secret of its requests', 2, 'secret'),
    line('CloudWatch Logs: taken in', logged, 'logIngestion'),
  ];
}

/** The cost of 1,000 launches, each after a quiet time: none shares the probe that it asks for. */
export function costOfThousandWatches(shape: StackShape): Line {
  // It ends when it has seen twice that no launch is under way.
  const seconds = (watchedMs + 2 * busyMs) / 1000;
  return line('Lambda', 1000 * seconds * gbOf(functionOf(shape, 'probe').memoryMiB), 'arm64GbSecond');
}

/** The cost of metrics in a month with launches in every hour, beyond an idle month. */
export function costOfMetricsInUse({ metrics }: Counts): Line {
  const told = metrics.inUse - metrics.idle + assumed.metricsOfSchedulesInUse;
  return line('CloudWatch: metrics that launches tell', told, 'metric');
}

/** Computes the billed time of each function in one launch. */
export function billedFunctions(launch: LaunchCounts, shape: StackShape): BilledFunction[] {
  return Object.entries(launch.invocations).map(([name, invocations]) => {
    const measuredSeconds = launch.seconds[name] ?? 0;
    const billed = invocations * billedSeconds(measuredSeconds / invocations);
    const { memoryMiB } = functionOf(shape, name);
    return {
      name,
      invocations,
      measuredSeconds,
      billedSeconds: billed,
      memoryMiB,
      gbSeconds: billed * gbOf(memoryMiB),
    };
  });
}

/** Requests to the HTTP API in one launch. */
export function httpRequests({ invocations }: LaunchCounts): number {
  return (invocations['webhook'] ?? 0) + (invocations['connect'] ?? 0);
}

/** Write request units in one launch: of the tables, and of the launches' index. */
export function writeUnits(launch: LaunchCounts): number {
  return sum(Object.values(launch.writeUnits));
}

/** The bytes that davit logs for one invocation, on average. */
export function logBytesOf(launch: LaunchCounts): number {
  return launch.logBytes / sum(Object.values(launch.invocations));
}

/** Read request units in one launch; each read is strongly consistent, of less than 4 KB. A query of an index is less. */
export function readUnits({ calls }: LaunchCounts): number {
  return sum(['GetItem', 'BatchGetItem', 'Query'].flatMap((action) => of(calls, `dynamodb:${action}`)));
}

/** Counts traces in one launch. Each request to the API begins one, and so does each published batch of changes. */
function traces({ invocations }: LaunchCounts, shape: StackShape): number {
  const beginning = ['webhook', 'connect', 'publish-events'].filter((name) => functionOf(shape, name).isTraced);
  return sum(beginning.map((name) => invocations[name] ?? 0));
}

/** Converts the duration of an invocation in a local run to its billed duration on AWS. Both are in seconds. */
export function billedSeconds(measured: number): number {
  return Math.ceil(measured * 10) / 10 + assumed.addedSeconds;
}

/** Finds a function of the stack. @throws Error for one that is not in its template */
export function functionOf({ functions }: StackShape, name: string): StackShape['functions'][string] {
  const found = functions[name];
  if (found === undefined) throw new Error(`${name} was counted, and is not in the template`);
  return found;
}

/** Prices one line of a bill. */
export function line(what: string, quantity: number, price: PriceName): Line {
  const { usd, per } = prices[price];
  return { what, quantity, price, usd: (quantity / per) * usd };
}

function of(calls: LaunchCounts['calls'], action: string): number[] {
  return Object.entries(calls)
    .filter(([call]) => call.startsWith(`${action} `))
    .map(([, count]) => count);
}

/** The unit of memory in Lambda's price. */
export function gbOf(memoryMiB: number): number {
  return memoryMiB / 1024;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
