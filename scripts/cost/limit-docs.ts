import { assumed } from './assumptions.ts';
import type { Counts } from './counts.ts';
import { awsLimits, quotas } from './limits/aws-limits.ts';
import { clusterLimits } from './limits/cluster-limits.ts';
import type { Limit } from './limits/limit.ts';
import { useOf } from './limits/use.ts';
import { amount, markdownTable } from './markdown.ts';
import type { StackShape } from './stack-shape.ts';
import { allWaits, minuteOf, spans } from './waiting.ts';

/** Launches a second, for which it is said what is short. */
const rates = [1, 10, 100, 1000] as const;

/** Every limit, the one that is reached first in the first place. */
export function limitsOf(counts: Counts, shape: StackShape): Limit[] {
  const use = useOf(counts, shape);
  return [...clusterLimits(use), ...awsLimits(use, shape)].toSorted((one, other) => reachedAt(one) - reachedAt(other));
}

/** At how many launches a second, for as long as they come, a limit is reached. */
export function reachedAt({ quota, perLaunchASecond }: Limit): number {
  return quota / perLaunchASecond;
}

/** Writes the document of the quotas. */
export function limitDocs(counts: Counts, shape: StackShape): string {
  const limits = limitsOf(counts, shape);
  return `# Limits

<!-- Written by scripts/write-docs.ts from scripts/cost/limits/, the stack's template and scripts/cost/counts.json. -->

Which quota is reached first, and what to raise: for launches at a steady rate whose agents take ${counts.agentSeconds} s to connect and whose
jobs take ${assumed.jobSeconds / 60} minutes, by what one launch was counted to take ([cost.md](cost.md)) and what an account in us-east-1 and a cluster
of their own accord allow. A burst is another matter: what is said of the rate is true of it while it lasts. Twice the jobs'
length is half the rate, where it is agents or node ports that run out.

What there is not enough of, the first in the first place:

${rates.map((rate) => atRate(rate, limits)).join('\n')}

## How much of each

**Bold** is more than there is.

${useTable(limits)}

${waitingSection(counts)}

## What happens then, and what to raise

${adviceTable(limits)}

What is not in the tables: nodes for the agents, which are the cluster's matter (at 110 Pods a node, at most); X-Ray, which
records one trace a second and a twentieth of the others; CloudWatch, whose metrics come out of logs that Lambda delivers. A
sweep looks for 20 s and deals with 500 things: with tens of thousands of launches in flight it needs several minutes to see
them all, which the alarm SweepIsBehind says, and clean-ups that it would have to ask for come as much later.

Assumed: ${assumed.clusterRequestSeconds * 1000} ms for a request in the API server, and ${assumed.publishEventSeconds * 1000} ms for a change that is published; quotas as of early 2026, which AWS raises now and then: the console of Service
Quotas has those of your account.
`;
}

function waitingSection(counts: Counts): string {
  const rows = allWaits.map((wait) => {
    const heldBy = (span: keyof typeof spans) => minuteOf(wait, spans[span], counts).heldSeconds / 60;
    const enough = (functions: number) => Math.floor(functions / heldBy('later'));
    const { looks } = minuteOf(wait, spans.later, counts);
    return [
      wait.for,
      `${amount(100 * heldBy('first'), 2)}, then ${amount(100 * heldBy('later'), 2)}`,
      amount(enough(quotas.lambdaConcurrency), 2),
      amount(enough(quotas.lambdaConcurrencyOfNewAccount), 2),
      amount(quotas.stateTransition / (looks / 60), 2),
    ];
  });
  const head = [
    'a launch waits for',
    'functions that 100 hold, in the first minute and then',
    `waiting launches that hold ${quotas.lambdaConcurrency.toLocaleString('en')} functions`,
    `${quotas.lambdaConcurrencyOfNewAccount} functions, a new account's`,
    `that take ${quotas.stateTransition.toLocaleString('en')} transitions a second`,
  ];
  return `## Launches that wait

A launch that waits holds a function while it looks, and none in the pauses between its looks. Looks are long in the first
minute, when most waits end, and short after it (ADR 5). Where the functions run out, webhooks are refused too. These are
averages over many agents, from the length of each look and the state machine's own pauses.

${markdownTable(head, rows, 1)}`;
}

function atRate(rate: number, limits: readonly Limit[]): string {
  const short = limits.filter((limit) => reachedAt(limit) < rate);
  const names = short.map((limit) => `${limit.what} (at ${amount(reachedAt(limit), 2)})`);
  return `- **${rate.toLocaleString('en')} a second:** ${names.length === 0 ? 'nothing' : names.join('; ')}.`;
}

function useTable(limits: readonly Limit[]): string {
  const rows = limits.map((limit) => {
    const uses = rates.map((rate) => {
      const use = amount(limit.perLaunchASecond * rate, 2);
      return reachedAt(limit) < rate ? `**${use}**` : use;
    });
    return [limit.what, `${limit.quota.toLocaleString('en')} ${limit.unit}`, amount(reachedAt(limit), 2), ...uses];
  });
  const heads = rates.map((rate) => `at ${rate.toLocaleString('en')}/s`);
  return markdownTable(['', 'there is', 'enough for launches/s', ...heads], rows);
}

function adviceTable(limits: readonly Limit[]): string {
  return markdownTable(
    ['', 'beyond it', 'raise'],
    limits.map(({ what, beyond, raise }) => [what, beyond, raise]),
  );
}
