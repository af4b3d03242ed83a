import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import packageJson from '../../../../package.json' with { type: 'json' };
import type { LocalMeasure } from '../bench.ts';
import { atMost, type Figure, median } from '../figure.ts';
import { summarise } from '../statistics.ts';
import { takeTurns } from '../take-turns.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The packages that the runtime and the functions import. */
const packages = [
  '@aws-lambda-powertools/logger',
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-eks',
  '@aws-sdk/client-eventbridge',
  '@aws-sdk/client-lambda',
  '@aws-sdk/client-secrets-manager',
  '@aws-sdk/client-sfn',
  '@kubernetes/client-node',
  '@peculiar/x509',
  'aws-local-stepfunctions',
  'dynalite',
  'jose',
  'undici',
  'yaml',
  'zod',
];

const usage = new URL('../report-usage.mjs', import.meta.url).href;
const Usage = z.object({ processorMs: z.number(), peakMiB: z.number() });

/** One run of a program. */
interface Run extends z.infer<typeof Usage> {
  /** The time until it listens, or until it ends if it never listens. */
  readyMs: number;
}

/** A measured program, and its runs. */
interface Program {
  args: readonly string[];
  runs: Run[];
}

/** The start time of davit on a laptop, and a demo's use of processor and memory. */
export const start: LocalMeasure = {
  takeLocally: async ({ size, say }) => {
    const imports = packages.map((name) => `import '${name}';`).join('');
    const local: Program = { args: argsOf('local'), runs: [] };
    const demo: Program = { args: argsOf('demo'), runs: [] };
    const flags = argsOf('local').slice(0, -1);
    const bare: Program = {
      args: [...flags, '--input-type=module', '--eval', `import 'reflect-metadata';${imports}`],
      runs: [],
    };
    await takeTurns(
      size.starts,
      [bare, local, demo].map((program) => async () => void program.runs.push(await run(program.args))),
      (round) => say(`start: round ${round}`),
    );
    const medianOf = ({ runs }: Program, of: keyof Run) => summarise(runs.map((each) => each[of]));
    const imported = (of: keyof Run) => median('Node.js that imports the same packages', medianOf(bare, of));
    return [
      {
        name: 'start: time until davit listens',
        unit: 'ms',
        contenders: [imported('readyMs'), median('npm run local', medianOf(local, 'readyMs'))],
        goal: atMost(medianOf(local, 'readyMs').p50, 1500, 'measurement', ' ms'),
      },
      {
        name: 'start: processor time',
        unit: 'ms',
        contenders: [imported('processorMs'), median('a demo of one launch', medianOf(demo, 'processorMs'))],
        goal: atMost(medianOf(demo, 'processorMs').p50, 4000, 'measurement', ' ms'),
        note: "of davit's own process: the agent's is not in it",
      },
      {
        name: 'start: peak of the resident memory',
        unit: 'MiB',
        contenders: [imported('peakMiB'), median('a demo of one launch', medianOf(demo, 'peakMiB'))],
        goal: atMost(medianOf(demo, 'peakMiB').p50, 300, 'measurement', ' MiB'),
      },
    ] satisfies Figure[];
  },
};

/** The arguments with which a script of package.json runs Node.js. */
function argsOf(script: 'local' | 'demo'): readonly string[] {
  return packageJson.scripts[script].split(' ').slice(1);
}

/** Runs a program to its end. Interrupts a program that listens, as soon as it does. */
async function run(args: readonly string[]): Promise<Run> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'davit-start-'));
  try {
    const state = args.includes('local/main.ts') ? ['--state', stateDirectory] : [];
    const startMs = performance.now();
    const child = spawn(process.execPath, ['--import', usage, ...args, ...state], {
      cwd: root,
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
    return { ...(await used.promise), readyMs: readyMs ?? performance.now() - startMs };
  } finally {
    await rm(stateDirectory, { recursive: true, force: true });
  }
}
