import { functionPermissions, isFunctionName } from '../../cdk/function-permissions.ts';
import type { Profile } from '../../core/config/profile.ts';
import { assumed } from './assumptions.ts';
import {
  billedFunctions,
  costOfServices,
  costOfThousand,
  functionOf,
  type Line,
  line,
  listUnits,
  ofServices,
} from './cost-model.ts';
import type { Counts } from './counts.ts';
import type { PriceName } from './prices.ts';
import type { StackShape } from './stack-shape.ts';

/** The launches of an organisation in a day, all of whose agents davit registers. */
export const launchesADay = 100_000;

const secondsOfMonth = assumed.monthHours * 3600;
const launchesASecond = launchesADay / (24 * 3600);

/** The parts of its bill, in order. */
const parts: readonly [what: string, price: PriceName][] = [
  ['Step Functions: states entered and repeated', 'transition'],
  ['Lambda: time', 'arm64GbSecond'],
  ['Lambda: invocations', 'invocation'],
  ['HTTP API: requests', 'httpRequest'],
  ['DynamoDB: writes', 'writeUnit'],
  ['DynamoDB: reads', 'readUnit'],
  ['DynamoDB: records', 'tableStorage'],
  ['DynamoDB: point-in-time recovery of them', 'pointInTimeRecovery'],
  ['EventBridge: events', 'event'],
  ['X-Ray: traces', 'trace'],
  ['CloudWatch Logs: taken in', 'logIngestion'],
  ['CloudWatch Logs: kept', 'logStorage'],
  ['Secrets Manager: reads', 'secretCall'],
  ['Data to the internet: answers', 'transferOut'],
];

/**
 * The cost of a month of `launchesADay`, evenly spread: that of 1,000 registered launches as often, and the lists of live
 * launches that the schedules read; but what does not grow with the launches: traces, of which X-Ray samples few, and reads of
 * secrets, which functions keep.
 */
export function costOfBusyMonth(counts: Counts, shape: StackShape, expose: Profile['expose']): Line[] {
  const thousands = (launchesASecond * secondsOfMonth) / 1000;
  const services = expose === 'none' ? [] : costOfServices(counts, shape);
  const launched = [...costOfThousand(counts.registered, shape), ...services];
  const steady: Partial<Record<PriceName, number>> = {
    trace: tracesASecond(counts, shape) * secondsOfMonth,
    secretCall: secretReadsASecond(counts, shape, expose) * secondsOfMonth,
  };
  return parts.map(([what, price]) => {
    const listed = price === 'readUnit' ? listUnitsAMonth(counts) : 0;
    return line(what, steady[price] ?? thousands * quantityOf(price, launched) + listed, price);
  });
}

function quantityOf(price: PriceName, lines: readonly Line[]): number {
  return lines.filter((one) => one.price === price).reduce((sum, { quantity }) => sum + quantity, 0);
}

/**
 * Says how many of a function's invocations Lambda traces in a second: one, and 5 % of the others.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html
 */
export function sampled(invocationsASecond: number): number {
  return Math.min(invocationsASecond, 1) + 0.05 * Math.max(0, invocationsASecond - 1);
}

/** The sweep and reconcile each list the live launches once a minute: see `listLaunches`. */
function listUnitsAMonth({ agentSeconds, registered }: Counts): number {
  const live = launchesASecond * (agentSeconds + assumed.jobSeconds);
  return 2 * (assumed.monthHours * 60) * listUnits(live, registered.recordBytes);
}

/** Each of the two functions that answer samples its own invocations. */
function tracesASecond({ registered }: Counts, shape: StackShape): number {
  return ['webhook', 'connect']
    .filter((name) => functionOf(shape, name).isTraced)
    .reduce((sum, name) => sum + sampled((registered.invocations[name] ?? 0) * launchesASecond), 0);
}

/** Each environment of a function reads each of its secrets once in the time for which it keeps one. */
function secretReadsASecond({ launch, registered }: Counts, shape: StackShape, expose: Profile['expose']): number {
  const services = billedFunctions(launch, shape).filter(({ name }) => ofServices.includes(name));
  return [...billedFunctions(registered, shape), ...(expose === 'none' ? [] : services)].reduce(
    (sum, { name, invocations, billedSeconds }) => {
      const secrets = isFunctionName(name) ? (functionPermissions[name].secrets?.length ?? 0) : 0;
      const most = invocations * launchesASecond;
      return sum + secrets * Math.min(most, environments(billedSeconds * launchesASecond) / assumed.secretSeconds);
    },
    0,
  );
}

/** Launches begin independently of each other: three standard deviations above the mean are seldom at work at once. */
function environments(meanAtOnce: number): number {
  return Math.ceil(meanAtOnce + 3 * Math.sqrt(meanAtOnce));
}
