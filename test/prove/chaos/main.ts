/** Kills everything while davit launches on a real Kubernetes: `npm run prove -- chaos`. */
import { writeFile } from 'node:fs/promises';
import { describeMissing, missingRequirements } from '../cluster/programs/requirements.ts';
import { removeAbandoned } from '../cluster/remove-cluster.ts';
import { chaosHelp, readChaosArguments } from './arguments.ts';
import { type ChaosRun, chaos } from './chaos.ts';
import { proofText, tableOf, violationsText } from './report.ts';

const startedMs = performance.now();
const proof = new URL('../../../docs/chaos.md', import.meta.url);

function say(text: string): void {
  process.stderr.write(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
}

/** Aborted by Ctrl-C or SIGTERM; every part then removes what it started. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!interrupted.signal.aborted) say(`${signal}: removes the cluster`);
      interrupted.abort(new Error(`interrupted by ${signal}`));
    });
  }
  return interrupted.signal;
}

function print({ seed, tookSeconds, ...run }: ChaosRun): void {
  if (run.violations.length > 0) process.stdout.write(`\n${violationsText({ seed, tookSeconds, ...run })}\n`);
  process.stdout.write(`\nseed ${seed}, ${tookSeconds.toFixed(0)} s\n\n${tableOf({ seed, tookSeconds, ...run })}\n`);
}

try {
  const options = readChaosArguments(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(`${chaosHelp}\n`);
  } else {
    const missing = await missingRequirements();
    if (missing.length > 0) throw new Error(`no cluster can be started here:\n${describeMissing(missing)}`);
    for (const removed of await removeAbandoned()) say(`removed ${removed}: its owner has ended`);
    const seed = options.seed ?? Date.now() % 1_000_000;
    say(`seed ${seed}`);
    const run = await chaos({ ...options, seed }, say, interruption());
    print(run);
    if (options.proof) await writeFile(proof, proofText(run, options));
    process.exitCode = run.violations.length === 0 ? 0 : 1;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
}
