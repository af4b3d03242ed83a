/**
 * Counts the AWS usage of launches in the local runtime, and writes docs/cost.md and docs/limits.md.
 *
 *     node test/cost/main.ts [--launches N] [--help]
 */
import { parseArgs } from 'node:util';

const usage = `npm run cost -- [options]

Runs launches whose agents take 30 s to connect, a thousand an hour. Counts their states, invocations, calls and bytes.
Writes the counts to scripts/cost/counts.json, their cost to docs/cost.md, and the quotas that limit them to
docs/limits.md. \`npm run docs\` writes the documents from existing counts.

  --launches N   the number of launches (default 10, which take a minute and a half)
  --help         this text
`;

const { values } = parseArgs({
  options: { launches: { type: 'string', default: '10' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(usage);
} else {
  // The help needs none of these modules.
  const { writeCosts } = await import('./write-costs.ts');
  await writeCosts(values.launches);
}
