import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { rootFolder } from '../../../../cdk/bundling.ts';
import { run as runToEnd } from '../../cluster/run.ts';
import type { LocalMeasure } from '../bench.ts';
import { atMost, type Figure, median } from '../figure.ts';
import { summarise } from '../statistics.ts';
import { takeTurns } from '../take-turns.ts';

const packageFolder = join(rootFolder, 'dist', 'package');

const usage = new URL('../report-usage.mjs', import.meta.url).href;
const Usage = z.object({ processorMs: z.number(), peakMiB: z.number() });
const Manifest = z.object({ dependencies: z.record(z.string(), z.string()) });

/** One run of a program. */
interface Run extends z.infer<typeof Usage> {
  /** The time until it listens, or until it ends if it never listens. */
  readyMs: number;
  endedMs: number;
}

/** A measured program, and its runs. */
interface Program {
  args: readonly string[];
  runs: Run[];
}

/** The options with which the command `davit` starts both programs. */
const flags = ['--import', join(packageFolder, 'local/enable-compile-cache.mjs')];

/** The start time of davit on a laptop, and a demo's use of time and memory: of the package, as an install has it. */
export const start: LocalMeasure = {
  takeLocally: async ({ size, say }) => {
    say('start: makes the package');
    await runToEnd(process.execPath, ['scripts/package.ts']);
    const local: Program = { args: [...flags, 'local/main.js'], runs: [] };
    const demo: Program = { args: [...flags, 'local/demo/main.js'], runs: [] };
    const bare: Program = { args: [...flags, '--input-type=module', '--eval', await importsOfPackage()], runs: [] };
    const turn =
      ({ args, runs }: Program) =>
      async () =>
        void runs.push(await run(args));
    // The first run fills the compile cache.
    for (const { args } of [bare, local, demo]) await run(args);
    await takeTurns(size.starts, [bare, local, demo].map(turn), (round) => say(`start: round ${round}`));
    const medianOf = ({ runs }: Program, of: keyof Run) => summarise(runs.map((each) => each[of]));
    const figureOf = (what: string, of: keyof Run, most: number, unit: string, program: Program): Figure => ({
      name: `start: ${what}`,
      unit,
      contenders: [
        median("Node.js that imports the package's dependencies", medianOf(bare, of)),
        median(program === local ? 'davit local' : 'davit demo', medianOf(program, of)),
      ],
      goal: atMost(medianOf(program, of).p50, most, 'measurement', ` ${unit}`),
    });
    return [
      figureOf('time until davit listens', 'readyMs', 800, 'ms', local),
      figureOf('time of a demo of one launch', 'endedMs', 2000, 'ms', demo),
      { ...figureOf('processor time', 'processorMs', 2000, 'ms', demo), note: "without the agent's process" },
      figureOf('peak of the resident memory', 'peakMiB', 170, 'MiB', demo),
    ];
  },
};

/** A program that imports each package that an install of davit brings. */
async function importsOfPackage(): Promise<string> {
  const { dependencies } = Manifest.parse(JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')));
  return Object.keys(dependencies)
    .map((name) => `import '${name}';`)
    .join('');
}

/** Runs a program to its end. Interrupts a program that listens, as soon as it does. */
async function run(args: readonly string[]): Promise<Run> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'davit-start-'));
  try {
    const state = args.includes('local/main.js') ? ['--state', stateDirectory] : [];
    const startMs = performance.now();
    const child = spawn(process.execPath, ['--import', usage, ...args, ...state], {
      cwd: packageFolder,
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const ended = Promise.withResolvers<number | null>();
    child.once('error', ended.reject).once('close', ended.resolve);
    const used = Promise.withResolvers<z.infer<typeof Usage>>();
    child.once('message', (message) => used.resolve(Usage.parse(message)));
    let readyMs: number | undefined;
    if (child.stdout === null) throw new Error('there is no output to read');
    for await (const line of createInterface({ input: child.stdout })) {
      if (/davit +listens at /.test(line)) readyMs = performance.now() - startMs;
      // The last line before it waits for connections.
      if (/^ +logs /.test(line)) child.kill('SIGINT');
    }
    const exitCode = await ended.promise;
    if (exitCode !== 0) throw new Error(`node ${args.join(' ')} ended with exit code ${exitCode}`);
    const endedMs = performance.now() - startMs;
    return { ...(await used.promise), readyMs: readyMs ?? endedMs, endedMs };
  } finally {
    await rm(stateDirectory, { recursive: true, force: true });
  }
}
