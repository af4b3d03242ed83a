import * as z from 'zod';
import { ClusterView } from '../../functions/clusters/cluster-view-schema.ts';
import { until } from '../prove/cluster/until.ts';
import type { TestRuntime } from '../support/start-test-runtime.ts';

const patienceMs = 180_000;

/** Waits until a cluster is connected, or away. @returns the cluster as the API shows it */
export function untilConnected(
  { launches }: Pick<TestRuntime, 'launches'>,
  connected: boolean,
  name = 'sandbox',
): Promise<z.infer<typeof ClusterView>> {
  return until(`cluster ${name} is ${connected ? 'connected' : 'away'}`, patienceMs, async () => {
    const { status, body } = await launches.get(`/clusters/${name}`);
    if (status !== 200) throw new Error(`GET /clusters/{name} was answered ${status}`);
    const cluster = z.parse(ClusterView, body);
    return cluster.connected === connected && cluster;
  });
}
