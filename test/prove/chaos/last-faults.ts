import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../contract/api-client.ts';
import { newJob } from '../../e2e/jobs.ts';
import { removeAtOnce } from '../cluster/outcomes/change-object.ts';
import { addTaint, removeTaint } from '../cluster/outcomes/take-pods.ts';
import { until } from '../cluster/until.ts';
import { profileNames } from '../on-cluster/config.ts';
import { type Agents, type DavitsObject, launchIdOf, listDavits } from './agents.ts';
import { deliver } from './run-launch.ts';
import { untilReady, type World } from './world.ts';

/** Launches whose jobs go on after the last fault. */
export interface Lasting {
  launchIds: readonly string[];
  /** Those of them whose Pods were deleted, or were on the lost node. */
  taken: ReadonlySet<string>;
}

const connectedBefore = 4;
const startedMeanwhile = 4;
const connectWithinMs = 600_000;
const goneWithinMs = 60_000;
/** Longer than a call's time-out, so that davit gives up calls. */
const frozenMs = 6000;
/** Says that a node is lost: its Pods are removed at once. */
const lostNode = 'node.kubernetes.io/out-of-service';

/**
 * Hits agents that work, and launches that begin, with the last faults: each API server is frozen, davit is killed, a Pod
 * is deleted, and a node is lost with its Pods. Nothing is announced.
 *
 * @throws Error when the agents do not connect before
 */
export async function hitAtLast(world: World, agents: Agents): Promise<Lasting> {
  const { clusters, over } = world;
  const connected = await Promise.all(Array.from({ length: connectedBefore }, () => begin(world)));
  for (const launchId of connected) {
    const waiting = AbortSignal.any([over, AbortSignal.timeout(connectWithinMs)]);
    if ((await agents.told(launchId, waiting)) === undefined) throw new Error(`${launchId} has not connected`);
  }
  const signalAll = (signal: NodeJS.Signals) =>
    Promise.all(clusters.map(({ cluster }) => cluster.signal('kube-apiserver', signal)));
  await signalAll('SIGSTOP');
  const meanwhile = await Promise.all(Array.from({ length: startedMeanwhile }, () => begin(world)));
  await sleep(frozenMs);
  await world.killDavit();
  await signalAll('SIGCONT');
  await untilReady(world);
  const [deleted = '', withNode = ''] = connected;
  await deletePodOf(world, deleted);
  const lost = await loseNodeOf(world, withNode);
  return { launchIds: [...connected, ...meanwhile], taken: new Set([deleted, ...lost]) };
}

/** Queues a job. @returns its launch's id */
async function begin(world: World): Promise<string> {
  const job = newJob([profileNames.kwok]);
  await deliver(world, job, 'queued');
  return job.launchId;
}

async function deletePodOf(world: World, launchId: string): Promise<void> {
  const { api, pod } = await podOf(world, launchId);
  const { name, namespace } = pod.metadata;
  await removeAtOnce(api, `/api/v1/namespaces/${namespace}/pods/${name}`);
}

/** Takes the node of a launch's Pod away for a while. @returns the launches whose Pods it had */
async function loseNodeOf(world: World, launchId: string): Promise<string[]> {
  const { api, pod } = await podOf(world, launchId);
  const { nodeName } = pod.spec;
  const taken = new Set<string>();
  const findThere = async () => {
    const there = (await listDavits(api, '/api/v1/pods')).filter(({ spec }) => spec.nodeName === nodeName);
    for (const each of there) taken.add(launchIdOf(each));
    return there;
  };
  await findThere();
  await addTaint(api, nodeName, lostNode);
  // The scheduler places Pods there until it sees the taint.
  await until(`${nodeName} has no Pods`, goneWithinMs, async () => (await findThere()).length === 0);
  await removeTaint(api, lostNode);
  return [...taken];
}

/** @throws Error when the launch has no Pod */
async function podOf({ clusters }: World, launchId: string): Promise<{ api: ApiClient; pod: DavitsObject }> {
  for (const { api } of clusters) {
    const pod = (await listDavits(api, '/api/v1/pods')).find((each) => launchIdOf(each) === launchId);
    if (pod !== undefined) return { api, pod };
  }
  throw new Error(`${launchId} has no Pod`);
}
