import { mostAgentsOfLimit } from '../../core/limits/agent-limit.ts';
import { quotas } from './limits/aws-limits.ts';
import { amount, dollars } from './markdown.ts';
import { prices } from './prices.ts';

/** A transaction writes two items of at most 1 KB, and each counts twice. A launch makes two: it takes its slot and frees it. */
const writeUnits = 2 * 2 * 2;

/** Before each of them, davit reads the count. */
const readUnits = 2;

/** How long a change of a limit takes at least: a read and a transaction, in milliseconds. */
const changeMs = 20;

/** Writes what a limit of davit.yaml costs and allows. */
export function slotSection(): string {
  const usd =
    (writeUnits * prices.writeUnit.usd) / prices.writeUnit.per +
    (readUnits * prices.readUnit.usd) / prices.readUnit.per;
  return `## Limits of davit.yaml

A limit (\`maxAgents\`, \`limits\`) has at most ${mostAgentsOfLimit.toLocaleString('en')} agents. DynamoDB keeps an item that counts its slots, and one for each
holder. One transaction writes both, so a launch costs the same under a limit of ten as under one of ${mostAgentsOfLimit.toLocaleString('en')}: ${writeUnits} write units, and
${dollars(1000 * usd)} for 1,000 launches. Add this to the cost of [cost.md](cost.md), which counts launches without a limit. A launch under
several limits has the sum of their costs.

DynamoDB's partition allows ${amount(quotas.partitionWrites / writeUnits, 2)} launches a second under one limit. But the changes of one limit come one after the other, because
each of them counts: at ${changeMs} ms for a read and a transaction, that is ${amount(1000 / changeMs / 2, 2)} launches a second. Others wait for up to some seconds,
and then their jobs get their slots by reconciling, within a minute or two.`;
}
