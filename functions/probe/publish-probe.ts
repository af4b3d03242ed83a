import type { Metrics } from '../../runtime/metrics/metrics.ts';
import type { ProbeReport } from './probe.ts';

/** Publishes a probe's last findings as metrics. Publishes zero, too: a gauge of the local runtime would keep its last value. */
export function publishProbe(metrics: Metrics, { clusters }: ProbeReport): void {
  for (const { cluster, connected, namespacesAway } of clusters) {
    metrics.put('ClustersDisconnected', connected === false || namespacesAway.length > 0 ? 1 : 0, { cluster });
  }
}
