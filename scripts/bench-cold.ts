/** Measures how long the functions' bundles take to import: `npm run bench:cold -- [--runs N] [--json]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { bundleFunction } from '../cdk/bundling.ts';
import { functionNames } from '../cdk/function-needs.ts';
import { readConfig } from '../local/config/read-config.ts';
import { type ColdStart, measureColdStart } from './bench/cold-start.ts';

const help = `npm run bench:cold -- [options]

Bundles every function as the CDK app does, and imports each bundle in fresh processes, in turn with a bare node -e 0.
Prints the bundles' sizes, the medians in milliseconds, how much longer the import takes than doing nothing, the same by
the shortest runs, and the goal, where there is one. A goal that the median misses is said, and is no failure: what else
the machine does counts.

  --runs N           how often each is imported (default 20)
  --config FILE      the davit.yaml that is bundled (default davit.yaml)
  --json             print JSON
  --help             this text
`;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    config: { type: 'string', default: 'davit.yaml' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) process.stdout.write(help);
else await bench(z.coerce.number().int().min(1).max(1000).parse(values.runs));

async function bench(runs: number): Promise<void> {
  const config = await readConfig(values.config);
  const target = mkdtempSync(join(tmpdir(), 'davit-cold-'));
  const coldStarts: ColdStart[] = [];
  try {
    for (const functionName of functionNames) {
      const folder = join(target, functionName);
      bundleFunction({ functionName, config }, folder);
      coldStarts.push(await measureColdStart(functionName, folder, runs));
      if (!values.json) process.stderr.write(`\r${coldStarts.length} of ${functionNames.length}`);
    }
  } finally {
    rmSync(target, { recursive: true });
  }
  const machine = { node: process.version, cpu: cpus()[0]?.model, processors: availableParallelism(), load: loadavg() };
  process.stdout.write(values.json ? `${JSON.stringify({ runs, machine, coldStarts })}\n` : table(coldStarts, runs));
}

function table(coldStarts: readonly ColdStart[], runs: number): string {
  const head = ['function', 'bundle', 'gzipped', 'bare', 'import', 'over bare', 'least', 'goal', ''];
  const rows = coldStarts.map((one) => [
    one.functionName,
    `${Math.ceil(one.bundleBytes / 1024)} KiB`,
    `${Math.ceil(one.gzippedBytes / 1024)} KiB`,
    ...[one.bareMs, one.importMs, one.overBareMs, one.leastOverBareMs].map((ms) => ms.toFixed(1)),
    one.goalMs === undefined ? '' : `≤ ${one.goalMs}`,
    one.goalMs !== undefined && one.overBareMs > one.goalMs ? 'missed' : '',
  ]);
  const lines = [head, ...rows].map((cells) => {
    const [name = '', ...others] = cells;
    return `${name.padEnd(16)}${others.map((cell) => cell.padStart(11)).join('')}`.trimEnd();
  });
  return `\nMedians of ${runs} runs, in ms\n\n${lines.join('\n')}\n`;
}
