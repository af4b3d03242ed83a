/** Runs the same faults on davit and on a peer, on a real Kubernetes: `npm run prove -- peers`. */
import { writeFile } from 'node:fs/promises';
import { type PeerCell, peerCellsFile, readPeerCells, withCells } from '../../../scripts/peers/peer-cells.ts';
import { cellsTable } from '../../../scripts/peers/peer-docs.ts';
import { codeDigest } from '../../../simulation/code-digest.ts';
import { openApi } from '../../contract/api-client.ts';
import { describeMissing, missingRequirements } from '../cluster/programs/requirements.ts';
import { removeAbandoned } from '../cluster/remove-cluster.ts';
import { startTemporaryCluster } from '../cluster/test-cluster.ts';
import { type PeersArguments, peersHelp, readPeersArguments } from './arguments.ts';
import { installBuildbot, missingForBuildbot } from './buildbot/install-buildbot.ts';
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
  const kubernetes = `Kubernetes ${String(body['gitVersion']).replace(/^v/, '')}`;
  const versionsOf = {
    davit: `davit ${await codeDigest()}, Node.js ${process.versions.node}, ${kubernetes}`,
    Buildbot: `Buildbot ${buildbot}, Python ${python}, ${kubernetes}`,
  };
  const world = { cluster, api, installed, versionsOf, say, signal };
  const size = { jobs: options.jobs, atOnce: options['at-once'], patienceSeconds: options.patience };
  const cells: PeerCell[] = [];
  for (const fault of options.only) {
    for (const system of options.system) {
      signal.throwIfAborted();
      say(`${fault}, ${system}: starts`);
      const cell = await runCell(world, fault, system, size);
      cells.push(cell);
      process.stdout.write(`${JSON.stringify(cell)}\n`);
      if (options.keep) await keep(cell);
    }
  }
  return cells;
}

async function keep(cell: PeerCell): Promise<void> {
  await writeFile(peerCellsFile, `${JSON.stringify(withCells(readPeerCells(), [cell]), undefined, 2)}\n`);
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
    process.stdout.write(`\n${cellsTable(cells)}\n`);
    process.exitCode = cells.some(isWrong) ? 1 : 0;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 2;
}
