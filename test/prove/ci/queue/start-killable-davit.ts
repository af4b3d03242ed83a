import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../../../core/config/config.ts';
import { startSandbox } from '../../../../local/runtime/start-cluster.ts';
import type { ImageTable } from '../../../../sandbox/node/image-pull.ts';
import { checkTrace } from '../../../support/check-trace.ts';
import { type ClusterHistory, keepHistory } from '../../../support/cluster-history.ts';
import { type DavitStart, Ready } from './davit-start.ts';

/** A davit in a process of its own, and the sandbox that outlives it. */
export interface KillableDavit extends AsyncDisposable {
  davit: DavitProcess;
  history: ClusterHistory;
}

/** A davit that a test can kill and restart in the same place. */
export interface DavitProcess extends AsyncDisposable, Ready {
  /** Kills it with SIGKILL and restarts it, after a time if one is given. Resolves when it is ready. */
  restart(afterMs?: number): Promise<void>;
}

const main = fileURLToPath(new URL('./davit-main.ts', import.meta.url));
const intervalMs = 5000;

/**
 * Starts a davit that a test may kill, on a sandbox of the test's process.
 *
 * @param images what the sandbox's agents run
 * @param reconcileIntervalMs the pause between two reconciles
 * @throws Error when davit ends before it is ready; when its trace violates the protocol, once it is disposed of
 */
export async function startKillableDavit(
  config: Config,
  images: ImageTable,
  secrets: Readonly<Record<string, string>>,
  reconcileIntervalMs = intervalMs,
): Promise<KillableDavit> {
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
      reconcileIntervalMs,
    }),
  );
  const owned = started.move();
  return { davit, history, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function startDavitProcess(start: DavitStart): Promise<DavitProcess> {
  let [child, ready] = await run(start);
  const { port } = new URL(ready.url);
  const again = { ...start, listen: { ...start.listen, port: Number(port) } };
  return {
    ...ready,
    restart: async (afterMs = 0) => {
      await kill(child);
      await sleep(afterMs);
      [child, ready] = await run(again);
    },
    [Symbol.asyncDispose]: async () => kill(child),
  };
}

async function run(start: DavitStart): Promise<[ChildProcess, Ready]> {
  const child = fork(main, [JSON.stringify(start)], {
    // A restarted davit finds its code compiled, by the tests themselves or by the one before: it starts in half the time.
    env: { NODE_COMPILE_CACHE: join(start.stateDirectory, 'compiled'), ...process.env },
  });
  const ready = Promise.withResolvers<Ready>();
  child.once('message', (message) => ready.resolve(Ready.parse(message)));
  child.once('exit', (exitCode, signal) => ready.reject(new Error(`davit has ended (${exitCode ?? signal})`)));
  return [child, await ready.promise];
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
