import { assumed } from './assumptions.ts';
import { costOfBusyMonth, launchesADay } from './busy-month.ts';
import { totalUsd } from './cost-model.ts';
import type { Counts } from './counts.ts';
import { dollars, markdownTable } from './markdown.ts';
import type { StackShape } from './stack-shape.ts';

/** Writes what a month of an organisation's launches costs. @param standingUsd what does not depend on their number */
export function busyMonthSection(counts: Counts, shape: StackShape, standingUsd: number): string {
  const nodePort = costOfBusyMonth(counts, shape, 'nodePort');
  const none = costOfBusyMonth(counts, shape, 'none');
  const rows = nodePort.map(({ what, usd }, index) => [what, dollars(usd), dollars(none[index]?.usd ?? 0)]);
  const all = ['**all**', `**${dollars(totalUsd(nodePort))}**`, `**${dollars(totalUsd(none))}**`];
  const aMonth = Math.round((launchesADay / 24) * assumed.monthHours);
  return `## ${launchesADay.toLocaleString('en')} launches a day

A month of ${assumed.monthHours} hours has ${aMonth.toLocaleString('en')} of them. With evenly spread launches whose agents davit registers, it costs:

${markdownTable(['', '`expose: nodePort`', '`expose: none`'], [...rows, all], 1)}

Two lines do not grow with the launches. Lambda traces one invocation a second of each function, and 5 % of the others. An environment of
a function keeps a secret for ${assumed.secretSeconds} s. All others are those of 1,000 registered launches, as often; with a Service, also what
its two states cost. Reads have the lists of live launches, too, which the sweep and reconcile read each minute. What davit costs without
launches comes on top, and so do the metrics and the probe while launches are under way: ${dollars(standingUsd)} a month (all below).`;
}
