import { until } from '../../cluster/until.ts';
import type { ClusterWorld } from './world.ts';

/** The time until davit reports that a cluster is lost, and that it is back, in seconds. */
export interface Loss {
  falseAfterSeconds: number;
  trueAfterSeconds: number;
}

/** A way to lose a cluster. */
export interface Outage {
  name: string;
  begin: (world: ClusterWorld) => Promise<void>;
  /** Resolves when the API server answers again. */
  end: (world: ClusterWorld) => Promise<void>;
}

const apiServer = 'kube-apiserver';
const readyMs = 120_000;

/** All ways to lose a cluster. */
export const outages: readonly [Outage, ...Outage[]] = [
  {
    name: 'the API server is frozen',
    begin: ({ cluster }) => cluster.signal(apiServer, 'SIGSTOP'),
    end: ({ cluster }) => cluster.signal(apiServer, 'SIGCONT'),
  },
  { name: 'it is cut off', begin: async ({ line }) => line.cutOff(), end: async ({ line }) => line.mend() },
  {
    name: 'it is killed, and started again',
    begin: ({ cluster }) => cluster.signal(apiServer, 'SIGKILL'),
    end: async ({ cluster, api }) => {
      await cluster.start(apiServer);
      await until('the API server is ready', readyMs, async () => (await api.send('/readyz')).status === 200);
    },
  },
];

/** Loses the cluster, waits until davit reports it, then does the same with its return. */
export async function lose(world: ClusterWorld, { begin, end }: Outage): Promise<Loss> {
  await begin(world);
  const falseAfterSeconds = await secondsUntil(world, false);
  await end(world);
  return { falseAfterSeconds, trueAfterSeconds: await secondsUntil(world, true) };
}

async function secondsUntil({ untilState }: ClusterWorld, connected: boolean): Promise<number> {
  const startMs = performance.now();
  await untilState(`is ${connected}`, (state) => state.connected === connected);
  return (performance.now() - startMs) / 1000;
}
