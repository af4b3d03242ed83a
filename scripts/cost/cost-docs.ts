import { functionPermissions, isFunctionName } from '../../cdk/function-permissions.ts';
import { assumed } from './assumptions.ts';
import {
  billedFunctions,
  costOfIdleMonth,
  costOfMetricsInUse,
  costOfThousand,
  type Line,
  totalUsd,
} from './cost-model.ts';
import type { Counts } from './counts.ts';
import { amount, dollars, markdownTable } from './markdown.ts';
import { type Price, priceList, prices } from './prices.ts';
import type { StackShape } from './stack-shape.ts';
import { allWaits, costOfWaiting, minuteOf, placementWait, spans } from './waiting.ts';

/** What 1,000 launches whose agents take 30 s are to cost at most, in US dollars. */
export const goalUsd = 0.3;

/** Writes the document of what davit costs. */
export function costDocs(counts: Counts, shape: StackShape): string {
  const thousand = costOfThousand(counts, shape);
  const idle = costOfIdleMonth(counts, shape);
  const inUse = costOfMetricsInUse(counts);
  const perHour = Math.round(3600 / counts.everySeconds);
  const coldReads = coldSecretReads(counts);
  const coldUsd =
    1000 * (coldReads - (counts.launch.calls['secretsmanager:GetSecretValue'] ?? 0)) * unitUsd(prices.secretCall);
  return `# Cost

<!-- Written by scripts/write-docs.ts from the stack's template, scripts/cost/counts.json and scripts/cost/prices.ts. -->

What AWS charges for davit itself, by its list prices for ${priceList.region} as of ${priceList.asOf}, free tier not taken off. Your cluster, a
NAT gateway or VPC endpoints, and what subscribes to davit's events are not in it.

- **${dollars(totalUsd(thousand))} for 1,000 launches** whose agents take ${counts.agentSeconds} s to connect; the goal is ${dollars(goalUsd)}.
- **${dollars(totalUsd(idle))} a month** when nothing is launched, and ${dollars(inUse.usd)} a month more when there are launches in every hour.

\`npm run cost\` counts anew and writes this; \`npm run docs\` computes it anew from the last counts.

## 1,000 launches

Each from the webhook that asks for it to the removal of its Pod: ${counts.launches} launches were run and counted in the local runtime, one
every ${counts.everySeconds} s (${perHour.toLocaleString('en')} an hour), by the functions and the state machine that are deployed, and nothing failed. States,
invocations, requests, calls and bytes of logs are counted; memory, architecture, tables, tracing and retention are the
template's.

${billTable(thousand)}

${dominates(thousand)}

**How long functions run** was measured locally, and that is not AWS: there, a function has a share of a processor, services
are farther away than loopback, and some invocations are cold. So each invocation's time was rounded up to the next tenth of
a second, and ${assumed.addedSeconds} s were added. What a function waits for is the same in both places.

${durationTable(counts, shape)}

**Also assumed**: ${assumed.platformLogBytes} bytes that Lambda logs for each invocation, ${assumed.accessLogBytes} bytes for each line of the access log, ${assumed.answerBytes} bytes
for each answer; every trace is recorded, as X-Ray does by default up to one a second; a record of ${counts.recordBytes} bytes; each change of
a record takes its item in the index from one place to another, two writes.

**What makes a launch dearer.** One that waits, see below. An agent that asks early is
answered 503 once a second: a request, an invocation and a read. A launch that finds no function warm reads ${coldReads} secrets in
place of ${counts.launch.calls['secretsmanager:GetSecretValue'] ?? 0}, ${dollars(coldUsd)} more for a thousand; with \`eks\` in place of a kubeconfig there are fewer. A larger environment in
\`POST /launches\` makes larger records: each KB is another write unit for each write.

## Launches that wait

What 1,000 launches cost that wait for one more minute: attempts again, the time of the functions that look, their reads and
their logs.

${waitTable(counts, shape)}

With a cluster whose autoscaler needs ${autoscalerMinutes} minutes for a node, 1,000 launches cost ${dollars(costOfPlacement(counts, shape))} more.

## A month in which nothing is launched

${billTable(idle)}

Metrics are charged for in each hour in which they are told: with launches in every hour of the month, these of one profile
on one cluster come to ${dollars(inUse.usd)} (${inUse.quantity} metrics). A failure's code is another metric for the hours in which it happens.

**Cheaper.** \`dashboard: false\` and \`alarms: false\` of the construct take away what is most of it; metrics that nobody looks
at cost the same. \`tracing: false\` takes away X-Ray.

## Prices

${priceTable(thousand, idle, inUse)}

Compared with archived copies of AWS's pages and other people's tables of early 2026, not with the pages of the day; first
tier, ${priceList.region}. A GB is 10⁹ bytes, a month ${assumed.monthHours} hours.
`;
}

function billTable(lines: readonly Line[]): string {
  const rows = lines.map(({ what, quantity, price, usd }) => [
    what,
    `${amount(quantity)} ${prices[price].unit}`,
    dollars(usd),
  ]);
  return markdownTable(['', 'how much', ''], [...rows, ['**all**', '', `**${dollars(totalUsd(lines))}**`]], 1);
}

/** A usual time for a node to be there. */
const autoscalerMinutes = 5;

function waitTable(counts: Counts, shape: StackShape): string {
  const rows = allWaits.flatMap((wait) =>
    (['first', 'later'] as const).map((span) => {
      const minute = minuteOf(wait, spans[span], counts);
      return [
        `${wait.for}: ${span === 'first' ? 'the first minute' : 'each later minute'}`,
        amount(minute.looks, 2),
        `${amount(minute.heldSeconds, 2)} s`,
        dollars(totalUsd(costOfWaiting(wait, minute, counts, shape))),
      ];
    }),
  );
  const head = ['a launch waits for', 'state transitions of each', 'function time of each', '1,000 launches'];
  return markdownTable(head, rows, 1);
}

function costOfPlacement(counts: Counts, shape: StackShape): number {
  const of = (span: keyof typeof spans) =>
    totalUsd(costOfWaiting(placementWait, minuteOf(placementWait, spans[span], counts), counts, shape));
  return of('first') + (autoscalerMinutes - 1) * of('later');
}

function durationTable(counts: Counts, shape: StackShape): string {
  const rows = billedFunctions(counts, shape).map(
    ({ name, invocations, measuredSeconds, billedSeconds, memoryMiB, gbSeconds }) => [
      `\`${name}\``,
      amount(invocations),
      `${measuredSeconds.toFixed(2)} s`,
      `${billedSeconds.toFixed(1)} s`,
      `${memoryMiB} MiB`,
      gbSeconds.toFixed(3),
    ],
  );
  return markdownTable(["a launch's", 'invocations', 'measured', 'taken', 'memory', 'GB-seconds'], rows, 1);
}

function priceTable(thousand: readonly Line[], idle: readonly Line[], inUse: Line): string {
  const used = new Set([...thousand, ...idle, inUse].map(({ price }) => price));
  const rows = [...used].map((name): string[] => {
    const { usd, per, unit, source } = prices[name];
    return [unit, `$${usd} for ${per === 1 ? 'one' : per.toLocaleString('en')}`, source];
  });
  return markdownTable(['', 'list price', 'page'], rows);
}

/** Says what most of it is. */
function dominates(lines: readonly Line[]): string {
  const [most, next] = lines.toSorted((one, other) => other.usd - one.usd);
  const share = ({ usd }: Line) => `${Math.round((usd / totalUsd(lines)) * 100)} %`;
  if (most === undefined || next === undefined) throw new Error('a bill of no lines');
  return `Most of it: ${most.what} (${share(most)}), then ${next.what} (${share(next)}).`;
}

/** One read of each secret by each function of a launch that has any. */
function coldSecretReads({ launch: { invocations } }: Counts): number {
  const needs = Object.keys(invocations).flatMap((name) => (isFunctionName(name) ? functionPermissions[name] : []));
  return needs.reduce((reads, { secrets = [] }) => reads + secrets.length, 0);
}

function unitUsd({ usd, per }: Price): number {
  return usd / per;
}
