import { functionPermissions, isFunctionName } from '../../cdk/function-permissions.ts';
import type { Profile } from '../../core/config/profile.ts';
import { assumed } from './assumptions.ts';
import {
  billedFunctions,
  billedSeconds,
  costOfThousand,
  costOfThousandRegistrations,
  functionOf,
  type Line,
  line,
  ofServices,
  savedByNoService,
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
 * The cost of a month of `launchesADay`, evenly spread: that of 1,000 launches and their registrations as often, but what
 * does not grow with the launches: traces, of which X-Ray samples few, and reads of secrets, which functions keep.
 */
export function costOfBusyMonth(counts: Counts, shape: StackShape, expose: Profile['expose']): Line[] {
  const thousands = (launchesASecond * secondsOfMonth) / 1000;
  const saved = expose === 'none' ? savedByNoService(counts, shape) : [];
  const launched = [...costOfThousand(counts, shape), ...costOfThousandRegistrations(counts, shape)];
  const steady: Partial<Record<PriceName, number>> = {
    trace: tracesASecond(counts, shape) * secondsOfMonth,
    secretCall: secretReadsASecond(counts, shape, expose) * secondsOfMonth,
  };
  return parts.map(([what, price]) => {
    const perThousand = quantityOf(price, launched) - quantityOf(price, saved);
    return line(what, steady[price] ?? thousands * perThousand, price);
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

/** Each of the two functions that answer samples its own invocations. */
function tracesASecond({ launch }: Counts, shape: StackShape): number {
  const { webhooks } = assumed.registration;
  const perLaunch = {
    webhook: (launch.invocations['webhook'] ?? 0) + webhooks,
    connect: launch.invocations['connect'] ?? 0,
  };
  return Object.entries(perLaunch)
    .filter(([name]) => functionOf(shape, name).isTraced)
    .reduce((sum, [, invocations]) => sum + sampled(invocations * launchesASecond), 0);
}

/** Each environment of a function reads each of its secrets once in the time for which it keeps one. */
function secretReadsASecond(counts: Counts, shape: StackShape, expose: Profile['expose']): number {
  const registering = {
    name: 'register-runner',
    invocations: 1,
    billedSeconds: billedSeconds(assumed.registration.seconds),
  };
  return [...billedFunctions(counts, shape), registering]
    .filter(({ name }) => expose === 'nodePort' || !ofServices.includes(name))
    .reduce((sum, { name, invocations, billedSeconds: seconds }) => {
      const secrets = isFunctionName(name) ? (functionPermissions[name].secrets?.length ?? 0) : 0;
      const most = invocations * launchesASecond;
      return sum + secrets * Math.min(most, environments(seconds * launchesASecond) / assumed.secretSeconds);
    }, 0);
}

/** Launches begin independently of each other: three standard deviations above the mean are seldom at work at once. */
function environments(meanAtOnce: number): number {
  return Math.ceil(meanAtOnce + 3 * Math.sqrt(meanAtOnce));
}
