import { sweepIntervalMinutes } from '../../../runtime/function-settings.ts';
import { until } from '../cluster/until.ts';
import { openAuditLog } from './audit-log.ts';
import { makeBareCalls } from './bare-calls.ts';
import type { Bench } from './bench.ts';
import { makeOwnSteps } from './own-steps.ts';
import type { Size } from './size.ts';
import { prepareCluster, startDavit } from './start-davit.ts';

/** Starts a cluster, and a davit for it that has only its own Role's rights. */
export async function startBench(size: Size, say: (text: string) => void): Promise<Bench & AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const prepared = await prepareCluster(started, { kwokNodes: 2 });
  say('starts davit');
  let sweptAtMs = 0;
  const { davit, launcher } = await startDavit(started, prepared, ({ type }) => {
    if (type === 'swept') sweptAtMs = performance.now();
  });
  const untilUnswept = (forMs: number) =>
    until('davit stops its scheduled sweeps', 2 * sweepIntervalMs, async () => {
      return performance.now() - sweptAtMs < sweepIntervalMs - forMs;
    });
  const { cluster, api, config, kubeconfig } = prepared;
  const bare = started.use(makeBareCalls(kubeconfig));
  const own = makeOwnSteps(config, kubeconfig);
  const audit = await openAuditLog(cluster.auditLogPath);
  const running = started.move();
  const stop = () => running.disposeAsync();
  const parts = { cluster, api, config, davit, untilUnswept, launcher, bare, own, audit };
  return { ...parts, size, say, [Symbol.asyncDispose]: stop };
}

const sweepIntervalMs = sweepIntervalMinutes * 60_000;
