import { describeMissing, type Missing, missingRequirements } from './programs/requirements.ts';
import { removeAbandoned } from './remove-cluster.ts';
import { say } from './say.ts';

/** A program that proves something on clusters that it starts. */
interface ClusterProof<Options> {
  /** @throws Error whose message names each invalid argument */
  read: (args: string[]) => Options | 'help';
  help: string;
  /** What it needs beside a cluster, and this machine lacks. */
  missing?: () => Promise<Missing[]>;
  /**
   * @param interrupted aborted by Ctrl-C or SIGTERM; every part then removes what it started
   * @returns whether everything held
   */
  prove: (options: Options, interrupted: AbortSignal) => Promise<boolean>;
}

/** Runs the program. The exit code is 1 if something did not hold, and 2 if the run could not finish. */
export async function proveOnCluster<Options>(proof: ClusterProof<Options>): Promise<void> {
  try {
    const options = proof.read(process.argv.slice(2));
    if (options === 'help') {
      process.stdout.write(`${proof.help}\n`);
      return;
    }
    const missing = [...(await missingRequirements()), ...((await proof.missing?.()) ?? [])];
    if (missing.length > 0) throw new Error(`no cluster can be started here:\n${describeMissing(missing)}`);
    const interrupted = interruption();
    for (const removed of await removeAbandoned()) say(`removed ${removed}: its owner has ended`);
    process.exitCode = (await proof.prove(options, interrupted)) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 2;
  }
}

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
