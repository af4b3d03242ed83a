import { agentNameOf } from '../../../functions/domain/names.ts';
import { addKwokNode, type KwokNode } from '../node-objects.ts';
import type { DavitOnCluster } from '../start-davit.ts';
import { until } from '../until.ts';
import { remove } from './change-object.ts';
import { idle, untilRelaunched } from './containers.ts';
import { type Row, requestLaunch } from './expect-outcome.ts';
import { nodeOf } from './take-pods.ts';

/** A launch whose Pod loses its node: the Node object is deleted, and nothing is heard of the machine any more. */
export interface Orphaning extends Row {
  /** It is there for this launch alone. */
  node: KwokNode;
}

const timeoutMs = 60_000;

/** Of a Pod that comes to a node of its own while there is one, and otherwise to one with a kubelet. */
const ratherOn = (name: string) => {
  const own = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] };
  const real = { matchExpressions: [{ key: 'type', operator: 'NotIn', values: ['kwok'] }] };
  return {
    tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [own, real] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: own }],
      },
    },
  };
};

/** Those that come up again, by where they are when the cluster takes their Pod. */
export const orphanings: readonly Orphaning[] = [
  {
    what: 'before it has told its address',
    node: { name: 'deleted-1', ip: '10.252.8.1', isPlayed: false },
    changes: { agent: untilRelaunched(), spec: ratherOn('deleted-1') },
  },
  {
    what: 'while the agent is awaited',
    node: { name: 'deleted-2', ip: '10.252.8.2' },
    changes: { agent: untilRelaunched(), spec: ratherOn('deleted-2') },
  },
];

/** One that does not. */
export const lastOrphaning: Orphaning = {
  what: 'when it is not to come up again',
  node: { name: 'deleted-3', ip: '10.252.8.3' },
  changes: { agent: idle, spec: ratherOn('deleted-3'), profile: { maxRelaunches: 0 } },
};

/** Begins a launch and deletes the Node that its Pod is bound to, as an autoscaler does. @returns the launch's id */
export async function orphan(davit: DavitOnCluster, row: Orphaning): Promise<string> {
  await addKwokNode(davit.api, row.node);
  const launchId = await requestLaunch(davit, row);
  const agentName = agentNameOf(launchId);
  const { name } = row.node;
  await until(`${agentName} is bound to ${name}`, timeoutMs, async () => (await nodeOf(davit.api, agentName)) === name);
  await remove(davit.api, `/api/v1/nodes/${name}`);
  return launchId;
}
