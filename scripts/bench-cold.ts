/** Measures how long the functions' bundles take to import: `npm run prove -- cold [--quick] [--only NAMES]`. */
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { bundleFunctions, rootFolder } from '../cdk/bundling.ts';
import { functionNames } from '../cdk/function-permissions.ts';
import { readConfig } from '../core/config/read-config.ts';
import { bundleStub } from './bench/bundle-stub.ts';
import { type ColdStart, goalRatio, measureColdStart } from './bench/cold-start.ts';
import { cellsOf, coldStartHead, coldStartPage } from './bench/cold-start-page.ts';

const help = `npm run prove -- cold [options]

Bundles every function as the CDK app does, and beside it two stubs: one that only imports the same libraries, and one
that also makes their clients. Imports all three in fresh processes, by turns with a process that does nothing. Prints
the bundles' sizes and the least processor time that each takes over doing nothing, in milliseconds, and their ratios.
The goal is ${goalRatio} x the stub; ADR 28 says what keeps some functions from it. A missed goal is no failure: what else
the machine does counts.

  --only NAMES       the functions, with commas between them (default all)
  --runs N           how often each is imported (default 20)
  --quick            5 runs
  --record           write docs/bench/cold-start.md (all functions)
  --help             this text
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: functionNames.join(',') },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) process.stdout.write(help);
else
  await bench(
    z.coerce
      .number()
      .int()
      .min(1)
      .max(1000)
      .parse(values.runs ?? (values.quick ? 5 : 20)),
  );

async function bench(runs: number): Promise<void> {
  const config = await readConfig('davit.yaml');
  const names = z.array(z.enum(functionNames)).parse(values.only.split(','));
  if (values.record && names.length < functionNames.length) throw new RangeError('--record: measure all functions');
  using target = mkdtempDisposableSync(join(tmpdir(), 'davit-cold-'));
  const coldStarts: ColdStart[] = [];
  process.stdout.write(`Processor time over a bare Node's, least of ${runs} runs, in ms\n\n${line(coldStartHead)}\n`);
  bundleFunctions(names, config, target.path);
  for (const functionName of names) {
    const folder = join(target.path, functionName);
    const folders = { bundle: folder, stub: `${folder}-stub`, clients: `${folder}-clients` };
    bundleStub(functionName, folders.stub, { makesClients: false });
    bundleStub(functionName, folders.clients, { makesClients: true });
    const coldStart = await measureColdStart(functionName, folders, runs);
    coldStarts.push(coldStart);
    process.stdout.write(`${line(cellsOf(coldStart))}\n`);
  }
  if (!values.record) return;
  const page = coldStartPage(coldStarts, {
    date: new Date().toISOString().slice(0, 10),
    runs,
    node: process.version,
    processors: availableParallelism(),
    load: loadavg()[0] ?? 0,
  });
  writeFileSync(join(rootFolder, 'docs/bench/cold-start.md'), page);
}

function line([name = '', ...others]: readonly string[]): string {
  return `${name.padEnd(16)}${others.map((cell) => cell.padStart(14)).join('')}`.trimEnd();
}
