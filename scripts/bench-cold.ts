/** Measures how long the functions' bundles take to import: `npm run bench:cold -- [--runs N] [--json]`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { bundleFunction } from '../cdk/bundling.ts';
import { functionNames } from '../cdk/function-permissions.ts';
import { readConfig } from '../config/read-config.ts';
import { bundleStub } from './bench/bundle-stub.ts';
import { type ColdStart, goalRatio, measureColdStart } from './bench/cold-start.ts';

const help = `npm run bench:cold -- [options]

Bundles every function as the CDK app does, and beside it a stub that only imports the same libraries. Imports both in
fresh processes, by turns with a process that does nothing. Prints the bundles' sizes and the processor time that each
takes over doing nothing, in milliseconds: the medians and the least. The goal is a least of ${goalRatio} x the stub's.
A goal that is missed is said, and is no failure: what else the machine does counts.

For comparison, over a bare Node on another machine, whose stub of client-sfn takes 50 ms and of client-dynamodb 55 ms:
cdk-github-runners' webhook takes 78 ms, and terraform-aws-github-runner's 98 ms.

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
      const folders = { bundle: join(target, functionName), stub: join(target, `${functionName}-stub`) };
      bundleStub(bundleFunction({ functionName, config }, folders.bundle), folders.stub);
      coldStarts.push(await measureColdStart(functionName, folders, runs));
      if (!values.json) process.stderr.write(`\r${coldStarts.length} of ${functionNames.length}`);
    }
  } finally {
    rmSync(target, { recursive: true });
  }
  const machine = { node: process.version, cpu: cpus()[0]?.model, processors: availableParallelism(), load: loadavg() };
  process.stdout.write(values.json ? `${JSON.stringify({ runs, machine, coldStarts })}\n` : table(coldStarts, runs));
}

function table(coldStarts: readonly ColdStart[], runs: number): string {
  const head = ['function', 'bundle', 'gzipped', 'bare', 'stub', 'import', 'least stub', 'least', 'ratio', ''];
  const rows = coldStarts.map(({ functionName, bundleBytes, gzippedBytes, bareMs, stub, bundle, ratio }) => [
    functionName,
    `${Math.ceil(bundleBytes / 1024)} KiB`,
    `${Math.ceil(gzippedBytes / 1024)} KiB`,
    ...[bareMs, stub.medianMs, bundle.medianMs, stub.leastMs, bundle.leastMs].map((ms) => ms.toFixed(1)),
    `${ratio.toFixed(2)} x`,
    ratio > goalRatio ? 'missed' : '',
  ]);
  const lines = [head, ...rows].map((cells) => {
    const [name = '', ...others] = cells;
    return `${name.padEnd(16)}${others.map((cell) => cell.padStart(11)).join('')}`.trimEnd();
  });
  return `\nProcessor time over a bare Node's, of ${runs} runs, in ms\n\n${lines.join('\n')}\n`;
}
