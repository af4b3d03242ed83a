import { agentNameOf } from '../../../../core/launch/names.ts';
import { addKwokNode, type KwokNode } from '../node-objects.ts';
import type { DavitOnCluster } from '../start-davit.ts';
import { until } from '../until.ts';
import { remove } from './change-object.ts';
import { idle, untilRelaunched } from './containers.ts';
import { type Row, requestLaunch } from './expect-outcome.ts';
import { nodeOf } from './take-pods.ts';

/** A launch whose Pod loses its node: somebody deletes the Node object, and its machine falls silent. */
export interface Orphaning extends Row {
  /** The node exists only for this launch. */
  node: KwokNode;
}

const timeoutMs = 60_000;

/** Prefers a Pod's own node while it exists, and otherwise a node with a kubelet. */
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

/** Launches that come up again, by their progress when the cluster removes their Pod. */
export const orphanings: readonly Orphaning[] = [
  {
    what: 'before its address is known',
    node: { name: 'deleted-1', ip: '10.252.8.1', isPlayed: false },
    changes: { agent: untilRelaunched(), spec: ratherOn('deleted-1') },
  },
  {
    what: 'while davit awaits the agent',
    node: { name: 'deleted-2', ip: '10.252.8.2' },
    changes: { agent: untilRelaunched(), spec: ratherOn('deleted-2') },
  },
];

/** A launch that does not come up again. */
export const lastOrphaning: Orphaning = {
  what: 'when it may not come up again',
  node: { name: 'deleted-3', ip: '10.252.8.3' },
  changes: { agent: idle, spec: ratherOn('deleted-3'), profile: { maxRelaunches: 0 } },
};

/** Requests a launch and deletes its Pod's Node, as an autoscaler does. @returns the launch's id */
export async function orphan(davit: DavitOnCluster, row: Orphaning): Promise<string> {
  await addKwokNode(davit.api, row.node);
  const launchId = await requestLaunch(davit, row);
  const agentName = agentNameOf(launchId);
  const { name } = row.node;
  await until(`${agentName} is bound to ${name}`, timeoutMs, async () => (await nodeOf(davit.api, agentName)) === name);
  await remove(davit.api, `/api/v1/nodes/${name}`);
  return launchId;
}
