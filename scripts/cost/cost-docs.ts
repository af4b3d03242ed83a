import { functionPermissions, isFunctionName } from '../../cdk/function-permissions.ts';
import { tokenWait } from '../../functions/connect/connect.ts';
import { busyMs } from '../../functions/probe/probe-cluster.ts';
import { functionSettings } from '../../runtime/function-settings.ts';
import { assumed } from './assumptions.ts';
import { costOfBusyMonth, launchesADay } from './busy-month.ts';
import { busyMonthSection } from './busy-month-docs.ts';
import {
  billedFunctions,
  costOfIdleMonth,
  costOfMetricsInUse,
  costOfPollingMonth,
  costOfProbingHour,
  costOfServices,
  costOfThousand,
  costOfThousandWatches,
  type Line,
  totalUsd,
} from './cost-model.ts';
import type { Counts, LaunchCounts } from './counts.ts';
import { amount, dollars, markdownTable } from './markdown.ts';
import { type Price, priceList, prices } from './prices.ts';
import type { StackShape } from './stack-shape.ts';
import { standbyCosts } from './standby-docs.ts';
import { allWaits, costOfWaiting, minuteOf, placementWait, spans } from './waiting.ts';

const tokenWaitMs = tokenWait.pausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0);

/** The maximum cost of 1,000 launches whose agents take 30 s to connect, in US dollars. */
export const goalUsd = 0.3;

/** Writes the parts of the document of davit's cost: of launches, warm agents, polling, and a month without launches. */
export function costParts(counts: Counts, shape: StackShape): string[] {
  const thousand = costOfThousand(counts.launch, shape);
  const registered = costOfThousand(counts.registered, shape);
  const services = costOfServices(counts, shape);
  const idle = costOfIdleMonth(counts, shape);
  const inUse = costOfMetricsInUse(counts);
  const probing = costOfProbingHour(counts, shape, probedLaunches);
  const perHour = Math.round(3600 / counts.everySeconds);
  const coldReads = coldSecretReads(counts);
  const coldUsd =
    1000 * (coldReads - (counts.launch.calls['secretsmanager:GetSecretValue'] ?? 0)) * unitUsd(prices.secretCall);
  const launches = `AWS's charges for davit itself, at the list prices for ${priceList.region} as of ${priceList.asOf}, without the free tier. Your cluster, a
NAT gateway or VPC endpoints, and subscribers to davit's events are not included.

- **${dollars(totalUsd(thousand))} for 1,000 launches** whose agents take ${counts.agentSeconds} s to connect; the goal is ${dollars(goalUsd)}.
- **${dollars(totalUsd(registered))} for 1,000 launches whose agents davit registers** at the CI system: they have no Service, unless
  their profile says so.
- **${dollars(totalUsd(costOfBusyMonth(counts, shape, 'nodePort')))} a month for ${launchesADay.toLocaleString('en')} launches a day**, registered and with Services; **${dollars(totalUsd(costOfBusyMonth(counts, shape, 'none')))}** without.
- **${dollars(totalUsd(idle))} a month** without launches, for a davit that acts in one CI system, and ${dollars(inUse.usd)} a month more with launches in every hour.

\`npm run cost\` counts again and writes this page. \`npm run docs\` computes the page again from the last counts.

## 1,000 launches

\`npm run cost\` ran ${counts.launches} launches in the local runtime, one every ${counts.everySeconds} s (${perHour.toLocaleString('en')} an hour), with the functions and the state
machine that a deployment uses. No launch failed. It counted each launch from its webhook to the removal of its Pod: states,
invocations, requests, calls and bytes of logs. Memory, architecture, tables, tracing and retention come from the stack's
template.

${billTable(thousand)}

${dominates(thousand)}

**The duration of functions** was measured locally. On AWS, a function has a share of a processor, services are farther away
than loopback, and some invocations are cold. So this page rounds each invocation's time up to the next tenth of a second,
and adds ${assumed.addedSeconds} s. The events that a function waits for take the same time in both places.

${durationTable(counts.launch, shape)}

**Also assumed**: ${assumed.failureLogBytes} bytes that Lambda logs for each invocation that fails, because it came too early (it logs nothing for
the others), ${assumed.accessLogBytes} bytes for each line of the access log, ${assumed.answerBytes} bytes for each answer. X-Ray records every trace, as it does by default up
to one a second. Writes are counted by DynamoDB's rules: by the size of the item before and after, at most ${counts.launch.recordBytes} bytes; a change of
the status moves its entry in the index, which is two writes, any other change is none.

**What makes a launch more expensive.** A wait: see below. An agent that asks too early waits inside \`connect\` for up to
${tokenWaitMs / 1000} s, at most ${dollars(tokenWaitUsd())} more for a thousand launches. Then it gets 503 once a second; each answer is a request,
an invocation and a read. If all functions are cold, a launch reads ${coldReads} secrets instead of ${counts.launch.calls['secretsmanager:GetSecretValue'] ?? 0}, which is
${dollars(coldUsd)} more for a thousand launches; with \`eks\` instead of a kubeconfig it reads fewer. A larger environment in
\`POST /launches\` makes larger records: each KB is another write unit for each write.

## Registered agents

If davit registers the agents at the CI system, 1,000 launches cost this. They have no Service, which is the default of profiles with
\`runner\`. \`npm run cost\` ran ${counts.launches} of them in the same way, with a local GitHub: each agent is registered when it connects, runs its
job, and ends; the job's webhooks come when it is queued, has begun and is over. A finished launch's record has ${counts.registered.recordBytes} bytes.

${billTable(registered)}

${durationTable(counts.registered, shape)}

With \`expose: nodePort\` they cost this more, ${dollars(totalUsd(registered) + totalUsd(services))} in all:

${billTable(services)}

${busyMonthSection(counts, shape, totalUsd(idle) + inUse.usd + totalUsd(probing) * assumed.monthHours)}

## Launches that wait

The cost of one more minute of waiting for 1,000 launches: repeated attempts, the time of the functions that look, their reads
and their logs.

${waitTable(counts, shape)}

If the cluster's autoscaler needs ${autoscalerMinutes} minutes for a node, 1,000 launches cost ${dollars(costOfPlacement(counts, shape))} more.

## The probe while launches are under way

While at least one launch is under way, waiting or not, the probe is a loop that looks at each cluster every ${busyMs / 1000} s, so that davit
knows of a lost cluster within 10 s (ADR 22). One function does this for all clusters and launches, so its cost does not depend on
the number of waiting launches. The tables above leave it out. An hour of it, with ${probedLaunches} launches under way:

${billTable(probing)}

So one launch that waits for an hour pays ${dollars(totalUsd(costOfProbingHour(counts, shape, 1)))} for its probe, and 1,000 launches in an hour pay ${dollars(totalUsd(probing))} for
theirs: ${dollars(totalUsd(thousand) + totalUsd(probing))} in all. With launches under way in every minute of a month it is ${dollars(totalUsd(probing) * assumed.monthHours)}.

A launch that begins after a quiet time starts a probe at once. If there is no other launch for the rest of the minute, that
costs ${dollars(costOfThousandWatches(shape).usd)} for 1,000 such launches.`;
  const idleMonth = `## A month without launches

${billTable(idle)}

AWS charges for a metric in each hour in which davit emits it, and davit emits no zeros. With launches in every hour of the month, the metrics of one
profile on one cluster cost ${dollars(inUse.usd)} (${inUse.quantity} metrics). Each failure code is one more metric in the hours in which it occurs.

**Cheaper.** \`dashboard: false\` and \`alarms: false\` of the construct remove most of this; the metrics cost the same.
\`tracing: false\` removes X-Ray.

## Prices

${priceTable([...thousand, ...registered], idle, inUse)}

We compared these prices with archived copies of AWS's pages and with other tables of early 2026, not with today's pages.
They are for the first tier in ${priceList.region}. A GB is 10⁹ bytes, a month ${assumed.monthHours} hours.`;
  return [launches, standbyCosts(counts, shape, billTable), billTable(costOfPollingMonth(shape)), idleMonth];
}

function billTable(lines: readonly Line[]): string {
  const rows = lines.map(({ what, quantity, price, usd }) => [
    what,
    `${amount(quantity)} ${prices[price].unit}`,
    dollars(usd),
  ]);
  return markdownTable(['', 'how much', ''], [...rows, ['**all**', '', `**${dollars(totalUsd(lines))}**`]], 1);
}

/** The launches of the hour of probing. */
const probedLaunches = 20;

/** How long an autoscaler usually needs for a node, in minutes. */
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

function durationTable(launch: LaunchCounts, shape: StackShape): string {
  const rows = billedFunctions(launch, shape).map(
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

/** Names the two largest lines of a bill. */
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

/** The cost of 1,000 agents that wait for their tokens as long as connect allows. */
function tokenWaitUsd(): number {
  const gbSeconds = (tokenWaitMs / 1000) * (functionSettings.connect.memoryMiB / 1024);
  return 1000 * (gbSeconds * unitUsd(prices.arm64GbSecond) + tokenWait.pausesMs.length * unitUsd(prices.readUnit));
}

function unitUsd({ usd, per }: Price): number {
  return usd / per;
}
