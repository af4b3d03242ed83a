/** Runs the same faults on davit and on a peer, on a real Kubernetes: `npm run prove -- peers`. */
import { markdownTable } from '../../../scripts/cost/markdown.ts';
import { keepRows, takenNow } from '../../../scripts/kept-rows.ts';
import { openApi } from '../../contract/api-client.ts';
import { describeMissing, missingRequirements } from '../cluster/programs/requirements.ts';
import { removeAbandoned } from '../cluster/remove-cluster.ts';
import { startTemporaryCluster } from '../cluster/test-cluster.ts';
import { type PeersArguments, peersHelp, readPeersArguments } from './arguments.ts';
import { installBuildbot, missingForBuildbot } from './buildbot/install-buildbot.ts';
import { cellsTable, type PeerCell, rowOf } from './cells.ts';
import { addImage, lateImage, presentImage } from './late-image.ts';
import { runCell } from './run-cell.ts';

const startedMs = performance.now();

function say(text: string): void {
  process.stderr.write(`${((performance.now() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
}

/** Aborted by Ctrl-C or SIGTERM; every part then removes what it started. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (!interrupted.signal.aborted) say(`${name}: removes the cluster`);
      interrupted.abort(new Error(`interrupted by ${name}`));
    });
  }
  return interrupted.signal;
}

async function runAll(options: PeersArguments): Promise<PeerCell[]> {
  const missing = [...(await missingRequirements()), ...(await missingForBuildbot())];
  if (missing.length > 0) throw new Error(`no cluster can be started here:\n${describeMissing(missing)}`);
  const signal = interruption();
  for (const removed of await removeAbandoned()) say(`removed ${removed}: its owner has ended`);
  const installed = await installBuildbot(say);
  await using cluster = await startTemporaryCluster({ nodes: 2, onProgress: say });
  using api = openApi(cluster.kubeconfig);
  for (const image of [presentImage, lateImage]) await addImage(cluster, image);
  const { buildbot, python } = installed.versions;
  const { body } = await api.send('/version');
  say(
    `Buildbot ${buildbot}, Python ${python}, Node.js ${process.versions.node}, Kubernetes ${String(body['gitVersion'])}`,
  );
  const world = { cluster, api, installed, say, signal };
  const size = { jobs: options.jobs, atOnce: options['at-once'], patienceSeconds: options.patience };
  const cells: PeerCell[] = [];
  for (const fault of options.only) {
    for (const system of options.system) {
      signal.throwIfAborted();
      say(`${fault}, ${system}: starts`);
      const cell = await runCell(world, fault, system, size);
      cells.push(cell);
      process.stdout.write(`${JSON.stringify(cell)}\n`);
      if (options.record) keepRows('peers.md', cellsTable, [rowOf(cell, takenNow())]);
    }
  }
  return cells;
}

function isWrong({ system, jobs, completed, runTwice, podsLeft }: PeerCell): boolean {
  return system === 'davit' && (completed < jobs || runTwice > 0 || podsLeft > 0);
}

try {
  const options = readPeersArguments(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(`${peersHelp}\n`);
  } else {
    const cells = await runAll(options);
    const rows = cells.map((cell) => rowOf(cell, takenNow()));
    process.stdout.write(`\n${markdownTable(cellsTable.head, rows)}\n`);
    process.exitCode = cells.some(isWrong) ? 1 : 0;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
}
