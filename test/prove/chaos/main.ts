/** Kills everything while davit launches on a real Kubernetes: `npm run prove -- chaos`. */
import { writeFile } from 'node:fs/promises';
import { proveOnCluster } from '../cluster/prove-on-cluster.ts';
import { say } from '../cluster/say.ts';
import { chaosHelp, readChaosArguments } from './arguments.ts';
import { type ChaosRun, chaos } from './chaos.ts';
import { proofText, tableOf, violationsText } from './report.ts';

const proof = new URL('../../../docs/chaos.md', import.meta.url);

function print(run: ChaosRun): void {
  if (run.violations.length > 0) process.stdout.write(`\n${violationsText(run)}\n`);
  process.stdout.write(`\nseed ${run.seed}, ${run.tookSeconds.toFixed(0)} s\n\n${tableOf(run)}\n`);
}

await proveOnCluster({
  read: readChaosArguments,
  help: chaosHelp,
  prove: async (options, interrupted) => {
    const seed = options.seed ?? Date.now() % 1_000_000;
    say(`seed ${seed}`);
    const run = await chaos({ ...options, seed }, interrupted);
    print(run);
    if (options.proof) await writeFile(proof, proofText(run, options));
    return run.violations.length === 0;
  },
});
