import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sweepIntervalMinutes } from '../../functions/manifest.ts';
import { startTemporaryCluster } from '../cluster/test-cluster.ts';
import { until } from '../cluster/until.ts';
import { openApi } from '../contract/api-client.ts';
import { configOnCluster } from '../on-cluster/config.ts';
import { setUpDavit } from '../on-cluster/davit-identity.ts';
import { startLiveDavit } from '../on-cluster/live-davit.ts';
import { openAuditLog } from './audit-log.ts';
import { makeBareCalls } from './bare-calls.ts';
import type { Bench } from './bench.ts';
import { makeOwnSteps } from './own-steps.ts';
import type { Size } from './size.ts';
import { makeLauncher } from './timelines.ts';

/** Starts a cluster, and a davit for it that has only its own Role's rights. */
export async function startBench(size: Size, say: (text: string) => void): Promise<Bench & AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'davit-bench-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const cluster = started.use(await startTemporaryCluster({ kwokNodes: 2, onProgress: say }));
  const api = started.use(openApi(cluster.kubeconfig));
  const config = configOnCluster();
  const kubeconfig = await setUpDavit(api, cluster.apiUrl, config);
  const kubeconfigPath = join(directory, 'kubeconfig');
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  say('starts davit');
  const listen = { host: cluster.hostIp, port: 0 };
  const stateDirectory = join(directory, 'state');
  let sweptAtMs = 0;
  const davit = started.use(
    await startLiveDavit({ stateDirectory, kubeconfigPath, agentEnv: {}, listen }, ({ type }) => {
      if (type === 'swept') sweptAtMs = performance.now();
    }),
  );
  const untilUnswept = (forMs: number) =>
    until('davit stops its scheduled sweeps', 2 * sweepIntervalMs, async () => {
      return performance.now() - sweptAtMs < sweepIntervalMs - forMs;
    });
  const launcher = started.use(makeLauncher(davit));
  const bare = started.use(makeBareCalls(kubeconfig));
  const own = makeOwnSteps(config, kubeconfig);
  const audit = await openAuditLog(cluster.auditLogPath);
  const running = started.move();
  const stop = () => running.disposeAsync();
  const parts = { cluster, api, config, davit, untilUnswept, launcher, bare, own, audit };
  return { ...parts, size, say, [Symbol.asyncDispose]: stop };
}

const sweepIntervalMs = sweepIntervalMinutes * 60_000;
