/**
 * Counts the AWS usage of launches in the local runtime, and writes docs/cost.md and docs/limits.md.
 *
 *     node test/prove/cost/main.ts [--launches N] [--help]
 */
import { parseArgs } from 'node:util';

const usage = `npm run cost -- [options]

Runs launches whose agents take 30 s to connect, a thousand an hour: with a Service, and then without one, registered at
a local GitHub. Counts their states, invocations, calls and bytes.
Writes the counts to scripts/cost/counts.json, their cost to docs/cost.md, and the quotas that limit them to
docs/limits.md. \`npm run docs\` writes the documents from existing counts.

  --launches N   the number of launches of each kind (default 20, which take four minutes in all); processes read their
                 secrets when they start, so a few launches would show more of that than an hour of them
  --help         this text
`;

const { values } = parseArgs({
  options: { launches: { type: 'string', default: '20' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(usage);
} else {
  // The help needs none of these modules.
  const { writeCosts } = await import('./write-costs.ts');
  await writeCosts(values.launches);
}
