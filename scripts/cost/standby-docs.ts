import { standbyPace } from '../../functions/connect/await-summons.ts';
import { localStandbyLookMs } from '../../local/runtime/compose-functions.ts';
import { assumed } from './assumptions.ts';
import { billedSeconds, functionOf, gbOf, type Line, line, totalUsd } from './cost-model.ts';
import type { Counts } from './counts.ts';
import { quotas } from './limits/aws-limits.ts';
import { amount, dollars, markdownTable } from './markdown.ts';
import type { StackShape } from './stack-shape.ts';

/** The pause that an agent makes between two requests, with the time of the answer on its way, in seconds. */
const pauseSeconds = 1.1;
const monthSeconds = assumed.monthHours * 3600;
const pausesSeconds = [1, 5, 15, 60] as const;

/** What one agent that stands by uses in a month, while connect holds each of its requests. */
export function costOfStandbyMonth(counts: Counts, shape: StackShape): Line[] {
  const heldSeconds = standbyPace.heldMs / 1000;
  const asks = monthSeconds / (heldSeconds + pauseSeconds);
  const looks = standbyPace.heldMs / standbyPace.lookMs;
  return linesOf(shape, {
    asks,
    secondsOfAsk: heldSeconds + assumed.addedSeconds,
    readsOfAsk: readUnits(counts, looks + 2),
  });
}

/** The same, if connect answered at once and the agent paused for some seconds. */
function costOfAsking(counts: Counts, shape: StackShape, seconds: number): Line[] {
  const { invocations, seconds: measured } = counts.launch;
  const secondsOfAsk = billedSeconds((measured['connect'] ?? 0) / (invocations['connect'] ?? 1));
  const asks = monthSeconds / (seconds + secondsOfAsk);
  return linesOf(shape, { asks, secondsOfAsk, readsOfAsk: readUnits(counts, 2) });
}

/** Strongly consistent reads of a launch's record, and of a token, which is as small as one unit. */
function readUnits({ registered }: Counts, reads: number): number {
  return reads * Math.ceil(registered.recordBytes / 4096);
}

function linesOf(
  shape: StackShape,
  { asks, secondsOfAsk, readsOfAsk }: { asks: number; secondsOfAsk: number; readsOfAsk: number },
): Line[] {
  const { memoryMiB, isTraced } = functionOf(shape, 'connect');
  const logGb = (asks * assumed.accessLogBytes) / 1_000_000_000;
  return [
    line('Lambda: connect', asks * secondsOfAsk * gbOf(memoryMiB), 'arm64GbSecond'),
    line('Lambda: invocations', asks, 'invocation'),
    line('HTTP API: requests', asks, 'httpRequest'),
    line('DynamoDB: reads', asks * readsOfAsk, 'readUnit'),
    line('CloudWatch Logs: taken in', logGb, 'logIngestion'),
    ...(isTraced ? [line('X-Ray: traces', asks, 'trace')] : []),
  ];
}

/** Writes what an agent costs that stands by, beside what it would cost if it asked less often. */
export function standbyCosts(counts: Counts, shape: StackShape, billTable: (lines: readonly Line[]) => string): string {
  const held = costOfStandbyMonth(counts, shape);
  const usd = totalUsd(held);
  const rows = pausesSeconds.map((seconds) => [
    `${seconds} s`,
    dollars(totalUsd(costOfAsking(counts, shape, seconds))),
    `${amount(seconds / 2, 2)} s`,
  ]);
  return `An agent that stands by costs **${dollars(usd)} a month**, or ${dollars(usd / assumed.monthHours)} an hour: connect holds its request for ${standbyPace.heldMs / 1000} s, reads the launch's
record each ${standbyPace.lookMs} ms, and answers; the agent asks again after a second.

${billTable(held)}

If connect answered at once and the agent paused, the same month would cost less from a pause of ${amount(breakEvenSeconds(counts, shape, usd), 2)} s on. But each job would wait
for half of the pause on average, instead of ${standbyPace.lookMs / 2} ms:

${markdownTable(['pause', 'a month of one agent', 'a job waits for, on average'], rows, 1)}

davit has no setting for it: where a second does not matter, a job's own launch may be soon enough.`;
}

/** Finds the pause at which asking costs as much as being held. */
function breakEvenSeconds(counts: Counts, shape: StackShape, heldUsd: number): number {
  let [low, high] = [0, 3600];
  while (high - low > 0.01) {
    const middle = (low + high) / 2;
    if (totalUsd(costOfAsking(counts, shape, middle)) > heldUsd) low = middle;
    else high = middle;
  }
  return high;
}

/** Writes how many functions agents occupy that stand by. */
export function standbySection(): string {
  const share = standbyPace.heldMs / 1000 / (standbyPace.heldMs / 1000 + pauseSeconds);
  const { lambdaConcurrency, lambdaConcurrencyOfNewAccount } = quotas;
  return `## Agents that stand by

Each agent that stands by occupies one run of \`connect\` for ${amount(100 * share, 2)} % of the time: 100 of them occupy ${Math.round(100 * share)} of the account's ${lambdaConcurrency.toLocaleString('en')} concurrent
executions, and a new account of ${lambdaConcurrencyOfNewAccount} is full with ${lambdaConcurrencyOfNewAccount}. A reservation for \`connect\` (below) must have room for all of them, and for the agents
that come. Where AWS refuses a request, the agent asks again after two seconds, and a job waits as much longer. One process holds such
requests without a thread, and looks each ${localStandbyLookMs} ms: 100 of them read ${(100 * (1000 / localStandbyLookMs)).toLocaleString('en')} records a second from SQLite.`;
}
