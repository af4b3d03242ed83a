/** Runs the same faults on davit and on a peer, on a real Kubernetes: `npm run prove -- peers`. */
import { markdownTable } from '../../../scripts/cost/markdown.ts';
import { keepRows, takenNow } from '../../../scripts/kept-rows.ts';
import { openApi } from '../../contract/api-client.ts';
import { proveOnCluster } from '../cluster/prove-on-cluster.ts';
import { say } from '../cluster/say.ts';
import { startTemporaryCluster } from '../cluster/test-cluster.ts';
import { type PeersArguments, peersHelp, readPeersArguments } from './arguments.ts';
import { installBuildbot, missingForBuildbot } from './buildbot/install-buildbot.ts';
import { cellsTable, type PeerCell, rowOf } from './cells.ts';
import { addImage, lateImage, presentImage } from './late-image.ts';
import { runCell } from './run-cell.ts';

async function runAll(options: PeersArguments, signal: AbortSignal): Promise<PeerCell[]> {
  const installed = await installBuildbot();
  await using cluster = await startTemporaryCluster({ nodes: 2 });
  using api = openApi(cluster.kubeconfig);
  for (const image of [presentImage, lateImage]) await addImage(cluster, image);
  const { buildbot, python } = installed.versions;
  const { body } = await api.send('/version');
  say(
    `Buildbot ${buildbot}, Python ${python}, Node.js ${process.versions.node}, Kubernetes ${String(body['gitVersion'])}`,
  );
  const world = { cluster, api, installed, signal };
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

await proveOnCluster({
  read: readPeersArguments,
  help: peersHelp,
  missing: missingForBuildbot,
  prove: async (options, interrupted) => {
    const cells = await runAll(options, interrupted);
    const rows = cells.map((cell) => rowOf(cell, takenNow()));
    process.stdout.write(`\n${markdownTable(cellsTable.head, rows)}\n`);
    return !cells.some(isWrong);
  },
});
