import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../../core/config/config.ts';
import { startSandbox } from '../../../../local/runtime/start-cluster.ts';
import type { ImageTable } from '../../../../sandbox/node/image-pull.ts';
import { checkTrace } from '../../../support/check-trace.ts';
import { type ClusterHistory, keepHistory } from '../../../support/cluster-history.ts';
import { type DavitProcess, startDavitProcess } from './start-davit-process.ts';

/** A davit in a process of its own, and the sandbox that outlives it. */
export interface KillableDavit extends AsyncDisposable {
  davit: DavitProcess;
  history: ClusterHistory;
}

/**
 * Starts a davit that a test may kill, on a sandbox of the test's process.
 *
 * @param images what the sandbox's agents run
 * @throws when its trace violates the protocol, once it is disposed of
 */
export async function startKillableDavit(
  config: Config,
  images: ImageTable,
  secrets: Readonly<Record<string, string>>,
): Promise<KillableDavit> {
  const intervalMs = 5000;
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'davit-killed-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const stateDirectory = join(directory, 'davit');
  started.defer(async () => void (await checkTrace(stateDirectory)));
  const cluster = started.use(await startSandbox(config, directory, { images }));
  const kubeconfigPath = join(directory, 'davits-kubeconfig');
  await writeFile(kubeconfigPath, cluster.kubeconfig, { mode: 0o600 });
  const history = started.use(keepHistory(cluster.sandbox));
  const davit = started.use(
    await startDavitProcess({
      config,
      kubeconfigPath,
      stateDirectory,
      listen: { host: '127.0.0.1', port: 0 },
      secrets,
      sweepIntervalMs: intervalMs,
      reconcileIntervalMs: intervalMs,
    }),
  );
  const owned = started.move();
  return { davit, history, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
