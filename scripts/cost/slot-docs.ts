import { mostAgentsOfLimit, slotBytes } from '../../core/limits/agent-limit.ts';
import { quotas } from './limits/aws-limits.ts';
import { amount, dollars, markdownTable } from './markdown.ts';
import { prices } from './prices.ts';

/** The sizes of a limit in the table, in agents. */
const sizes = [10, 100, mostAgentsOfLimit] as const;

/**
 * Writes what a limit of davit.yaml costs and allows. All slots of a limit are one item, and DynamoDB counts the whole item
 * for each write and read of it. A launch writes it twice, to take its slot and to free it, and davit reads it before both.
 */
export function slotSection(): string {
  const rows = sizes.map((agents) => {
    const itemKb = (agents * slotBytes) / 1024;
    const writeUnits = 2 * Math.ceil(itemKb);
    const readUnits = 2 * Math.ceil(itemKb / 4);
    const usd =
      (writeUnits * prices.writeUnit.usd) / prices.writeUnit.per +
      (readUnits * prices.readUnit.usd) / prices.readUnit.per;
    return [
      agents.toLocaleString('en'),
      `${amount(itemKb, 2)} KB`,
      amount(writeUnits, 3),
      dollars(1000 * usd),
      amount(quotas.partitionWrites / writeUnits, 2),
    ];
  });
  const head = [
    'agents of a full limit',
    'its item, at most',
    'write units of a launch',
    'cost of 1,000 launches',
    'launches/s that its item takes',
  ];
  return `## Limits of davit.yaml

A limit (\`maxAgents\`, \`limits\`) has at most ${mostAgentsOfLimit.toLocaleString('en')} agents: all its slots are one item of DynamoDB's 400 KB, and a slot takes up to
${slotBytes} bytes. DynamoDB counts the whole item for each write. So a large, full limit costs more for each launch, and
allows fewer launches a second:

${markdownTable(head, rows, 0)}

Beyond that rate, DynamoDB throttles the writes, and davit repeats them: jobs get their slots later. A launch under several
limits has the sum of their costs. Instead of one limit of ${mostAgentsOfLimit.toLocaleString('en')}, give each repository or organization a limit of its own, which has its
own item. Add this cost to that of [cost.md](cost.md), which counts launches without a limit.`;
}
