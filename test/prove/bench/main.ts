/** Measures davit on a real Kubernetes: `npm run bench`. */
import { readFile, writeFile } from 'node:fs/promises';
import { untilInterrupted } from '../../../local/runtime/until-interrupted.ts';
import { type BenchArguments, benchHelp, readBenchArguments } from './arguments.ts';
import type { Bench } from './bench.ts';
import type { Figure } from './figure.ts';
import { type ListedMeasure, measures } from './measures.ts';
import { withFigures } from './report/page.ts';
import { linesOf } from './report/table.ts';
import { type Taken, takeMeasure } from './results.ts';

const startedMs = performance.now();

function say(text: string): void {
  process.stderr.write(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
}

/**
 * @returns 0 if all measures succeeded and met their count goals, 1 if a count goal is missed, 2 if a measure failed
 */
async function bench({ size, only, write }: BenchArguments): Promise<number> {
  const asked = measures.filter(({ name }) => only.includes(name));
  const all: Taken[] = [];
  const interrupted = untilInterrupted();
  await using resources = new AsyncDisposableStack();
  let running: Promise<Bench> | undefined;
  const startCluster = async () => {
    const { startBench } = await import('./start-bench.ts');
    return resources.use(await startBench(size, say));
  };
  // Starts the cluster only for a measure that needs it.
  const cluster = () => {
    running ??= startCluster();
    return running;
  };
  const take = async ({ load }: ListedMeasure) => {
    const measure = await load();
    return 'take' in measure ? measure.take(await cluster()) : measure.takeLocally({ size, say, resources });
  };
  for (const [index, measure] of asked.entries()) {
    say(`${measure.name} (${index + 1} of ${asked.length})`);
    const taken = await Promise.race([takeOrTell(measure.name, () => take(measure)), interrupted]);
    if (typeof taken === 'string') throw new Error(`${taken}: removes the cluster`);
    if (taken === undefined) continue;
    process.stdout.write(`\n${linesOf(taken.figures)}\n\n${describeRun(taken)}\n\n`);
    all.push(taken);
    // Writes after each measure: a later failure loses no results.
    if (write) await writePage(taken);
  }
  if (all.length < asked.length) return 2;
  const goals = all.flatMap(({ figures }) => figures).flatMap(({ goal }) => goal ?? []);
  return goals.every(({ of, isMet }) => of === 'measurement' || isMet) ? 0 : 1;
}

async function writePage(taken: Taken): Promise<void> {
  const page = new URL('../../../docs/bench/README.md', import.meta.url);
  const names = measures.map(({ name }) => name);
  await writeFile(page, withFigures(await readFile(page, 'utf8'), taken, names));
}

/** Reports a failing measure and continues with the others. */
async function takeOrTell(name: string, take: () => Promise<Figure[]>): Promise<Taken | undefined> {
  try {
    return await takeMeasure(name, take);
  } catch (error) {
    say(`${name} FAILED: ${describe(error)}`);
    return undefined;
  }
}

function describeRun({ tookSeconds, load, machine }: Taken): string {
  const where = `${machine.processors} × ${machine.model}, Node.js ${machine.node}`;
  return `in ${tookSeconds} s; ${where}; load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} at the end`;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.stack}` : String(error);
}

try {
  const options = readBenchArguments(process.argv.slice(2));
  if (options === 'help') process.stdout.write(benchHelp);
  else process.exitCode = await bench(options);
} catch (error) {
  process.stderr.write(`${describe(error)}\n`);
  // An interrupted measure may still wait for something.
  process.exit(2);
}
