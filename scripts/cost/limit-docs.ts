import type { FunctionName } from '../../runtime/function-settings.ts';
import { assumed } from './assumptions.ts';
import { costOfProbingHour, totalUsd } from './cost-model.ts';
import type { Counts } from './counts.ts';
import { awsLimits, quotas } from './limits/aws-limits.ts';
import { clusterLimits } from './limits/cluster-limits.ts';
import type { Limit } from './limits/limit.ts';
import { useOf } from './limits/use.ts';
import { amount, dollars, markdownTable } from './markdown.ts';
import { reconcileSection } from './reconcile-docs.ts';
import { registrationSection } from './registration-docs.ts';
import { slotSection } from './slot-docs.ts';
import type { StackShape } from './stack-shape.ts';
import { standbySection } from './standby-docs.ts';
import { allWaits, minuteOf, spans } from './waiting.ts';

/** The rates in launches a second for which the document lists the limits. */
const rates = [1, 10, 100, 1000] as const;

/** Lists every limit. The limit that is reached first comes first. */
export function limitsOf(counts: Counts, shape: StackShape): Limit[] {
  const use = useOf(counts, shape);
  return [...clusterLimits(use), ...awsLimits(use, shape)].toSorted((one, other) => reachedAt(one) - reachedAt(other));
}

/** Computes the steady rate, in launches a second, that reaches a limit. */
export function reachedAt({ quota, perLaunchASecond }: Limit): number {
  return quota / perLaunchASecond;
}

/** Writes the parts of the document of the quotas: up to the table of reconciling, and what is beyond a limit. */
export function limitParts(counts: Counts, shape: StackShape): [use: string, beyond: string] {
  const limits = limitsOf(counts, shape);
  const written = `This page names the quota that you reach first, and how to raise it. It assumes launches at a steady rate whose agents take ${counts.agentSeconds} s to
connect and whose jobs take ${assumed.jobSeconds / 60} minutes, the use of one launch as counted in [cost.md](cost.md), and the default quotas of an
account in us-east-1 and of a cluster. A burst reaches the same limits while it lasts. If jobs take twice as long, agents and
node ports run out at half the rate.

Each rate exceeds these limits, in the order in which you reach them:

${rates.map((rate) => atRate(rate, limits)).join('\n')}

## Use of each limit

**Bold** exceeds the limit.

${useTable(limits)}

${waitingSection(counts, shape)}

${standbySection()}

${reservationSection(counts)}

${slotSection()}

${registrationSection()}

${reconcileSection()}`;
  const beyond = `## Beyond a limit

${adviceTable(limits)}

The tables leave out nodes for the agents, because they depend on your cluster (at most 110 Pods a node); X-Ray, which
records one trace a second and 5 % of the others; and CloudWatch, which takes davit's metrics from logs that Lambda delivers.
A sweep works for 20 s and handles 500 things. With tens of thousands of launches in flight it needs several minutes to see
them all. The alarm SweepIsBehind then goes off, and the clean-ups that a sweep requests come that much later.

Assumed: ${assumed.clusterRequestSeconds * 1000} ms for a request in the API server, and ${assumed.publishEventSeconds * 1000} ms to publish a change. The quotas are of early 2026, and AWS raises
them now and then: the Service Quotas console shows those of your account.`;
  return [written, beyond];
}

function waitingSection(counts: Counts, shape: StackShape): string {
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
    'functions that 100 waiting launches hold, in the first minute and then',
    `waiting launches that hold ${quotas.lambdaConcurrency.toLocaleString('en')} functions`,
    `${quotas.lambdaConcurrencyOfNewAccount} functions (a new account)`,
    `waiting launches that use ${quotas.stateTransition.toLocaleString('en')} transitions a second`,
  ];
  return `## Launches that wait

A waiting launch holds a function while it looks, and none in the pauses between its looks. Looks are long in the first
minute, when most waits end, and short after it (ADR 5). When the functions run out, AWS refuses webhooks, too. The figures
are averages over many agents, computed from the length of each look and the state machine's own pauses.

${markdownTable(head, rows, 1)}

In addition, the probe occupies one function while any launch is under way, for all clusters and launches together. It costs ${dollars(totalUsd(costOfProbingHour(counts, shape, 1)))} an hour: [cost.md](cost.md#the-probe-while-launches-are-under-way).`;
}

/** The reservations of the table, for each of the two functions that answer. */
const reservations = [5, 20, 50] as const;

function reservationSection({ launch }: Counts): string {
  const secondsOf = (name: FunctionName) => (launch.seconds[name] ?? 0) / (launch.invocations[name] ?? 1);
  const { lambdaConcurrency, lambdaConcurrencyOfNewAccount, lambdaUnreserved } = quotas;
  const rows = reservations.map((reserved) => [
    reserved.toString(),
    amount(reserved / secondsOf('webhook'), 2),
    amount(reserved / secondsOf('connect'), 2),
    (lambdaConcurrency - 2 * reserved).toLocaleString('en'),
  ]);
  const head = [
    'reserved for each',
    'webhooks a second',
    "agents' requests a second",
    `left of ${lambdaConcurrency.toLocaleString('en')} for all others`,
  ];
  return `## Reserved concurrency

The functions of an account share its concurrency. When launches, or functions that are not davit's, use it up, AWS refuses
webhooks, and GitHub does not deliver them again. Reserved concurrency keeps a part for one function: Lambda guarantees the
function so many runs at once, and allows no more. \`davit deploy --answer-concurrency N\` reserves N for \`webhook\` and N for
\`connect\`; in your own app it is \`reservedConcurrency\` of the construct. An answer takes ${amount(secondsOf('webhook') * 1000, 2)} ms for a webhook and ${amount(secondsOf('connect') * 1000, 2)} ms for an agent, as counted in
[cost.md](cost.md), so N serve N divided by that:

${markdownTable(head, rows, 0)}

A reservation is no longer available to other functions. It is also a maximum: beyond it AWS refuses that function, even if the
rest of the account is idle. An agent that waits asks once a second. Reserve at least the number of waiting agents times an answer's time, and one for each agent that stands by.

Lambda keeps ${lambdaUnreserved} for functions without a reservation, and refuses a reservation that would leave less. So an account of
${lambdaConcurrency.toLocaleString('en')} can reserve ${lambdaConcurrency - lambdaUnreserved}, and a new account of ${lambdaConcurrencyOfNewAccount} can reserve nothing: the deployment fails. There,
webhooks, agents and launches share ${lambdaConcurrencyOfNewAccount}. Raise the quota first.`;
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
  return markdownTable(['', 'limit', 'launches/s that reach it', ...heads], rows);
}

function adviceTable(limits: readonly Limit[]): string {
  return markdownTable(
    ['', 'beyond the limit', 'raise'],
    limits.map(({ what, beyond, raise }) => [what, beyond, raise]),
  );
}
