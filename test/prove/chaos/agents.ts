import * as z from 'zod';
import { CompletedToken } from '../../../core/launch/completed-token.ts';
import { labelKeys } from '../../../core/launch/names.ts';
import { sleepUnlessAborted } from '../../../logic/steps/sleep.ts';
import type { ApiClient } from '../../contract/api-client.ts';
import { namespace } from '../cluster/credentials.ts';
import { type AgentEnv, agentEnvOf } from '../on-cluster/agent-env.ts';
import type { AgentHistory, Read } from './history.ts';
import type { ReachedCluster, World } from './world.ts';

/** The agents of all existing Pods. */
export interface Agents extends Disposable {
  histories(): AgentHistory[];
  /** The first token that any agent of a launch got; undefined when the signal is aborted first. */
  told(launchId: string, signal: AbortSignal): Promise<CompletedToken | undefined>;
}

const Pods = z.object({ items: z.array(z.unknown()) });
const AgentPod = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), labels: z.object({ [labelKeys.launchId]: z.string() }) }),
  spec: z.object({ nodeSelector: z.record(z.string(), z.string()).default({}) }),
});
const PlacedPod = z.object({
  metadata: z.object({ uid: z.string() }),
  status: z.object({ hostIP: z.string().optional() }),
});
const Service = z.object({ spec: z.object({ ports: z.tuple([z.object({ nodePort: z.int() })]) }) });
/** Selects davit's objects, in a URL. */
const davits = encodeURIComponent(`${labelKeys.managedBy}=davit`);
const lookMs = 200;
const askMs = 300;
/** An agent's later answers must equal its first token. */
const readsOfToken = 2;

/**
 * Starts to follow Pods. For an agent that kwok only pretends to run, this polls by the protocol as soon as its Pod
 * exists. A running agent polls by itself, and registers with the CI server.
 */
export function startAgents(world: Pick<World, 'clusters' | 'ci' | 'fail'>): Agents {
  const { clusters, ci } = world;
  const histories = new Map<string, AgentHistory>();
  const tokens = new Map<string, PromiseWithResolvers<CompletedToken | undefined>>();
  const tokenOf = (launchId: string) => {
    const known = tokens.get(launchId) ?? Promise.withResolvers<CompletedToken | undefined>();
    tokens.set(launchId, known);
    return known;
  };
  const stopping = new AbortController();
  const { signal } = stopping;

  const begin = (work: Promise<void>) => {
    work.catch((error) => signal.aborted || world.fail(error));
  };
  const keep = async (api: ApiClient, history: AgentHistory, read: Read) => {
    history.reads.push(read);
    if (read.token === undefined) return;
    const isAt = await addressOf(api, history, signal);
    if (isAt !== undefined) read.isAt = isAt;
    tokenOf(history.launchId).resolve(read.token);
  };
  const play = async (api: ApiClient, history: AgentHistory, env: AgentEnv) => {
    let toldTimes = 0;
    while (!signal.aborted && toldTimes < readsOfToken) {
      const read = await ask(env);
      await keep(api, history, read);
      if (read.status === 401 || read.status === 410) return;
      if (read.status === 200) toldTimes += 1;
      await sleepUnlessAborted(askMs, signal);
    }
  };
  const hear = async (api: ApiClient, history: AgentHistory) => {
    const { token } = await ci.registrationOf(history.agentName, signal);
    await keep(api, history, { atEpochMs: Date.now(), status: 200, token });
  };
  const look = async ({ api }: ReachedCluster) => {
    while (!signal.aborted) {
      for (const pod of await listPods(api)) {
        const { metadata, spec } = AgentPod.parse(pod);
        if (histories.has(metadata.uid)) continue;
        const launchId = metadata.labels[labelKeys.launchId];
        const history = { launchId, agentName: metadata.name, podUid: metadata.uid, reads: [] };
        histories.set(metadata.uid, history);
        begin(spec.nodeSelector['type'] === 'kwok' ? play(api, history, agentEnvOf(pod)) : hear(api, history));
      }
      await sleepUnlessAborted(lookMs, signal);
    }
  };
  for (const cluster of clusters) begin(look(cluster));
  return {
    histories: () => [...histories.values()],
    told: (launchId, waiting) => {
      const giveUp = () => tokenOf(launchId).resolve(undefined);
      if (waiting.aborted) giveUp();
      waiting.addEventListener('abort', giveUp, { once: true });
      return tokenOf(launchId).promise;
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

/**
 * Reads an agent's address, HOST_IP:NODE_PORT, from the cluster. Retries until the API server answers.
 *
 * @returns undefined when its Pod or its Service is gone, or the signal was aborted
 */
async function addressOf(
  api: ApiClient,
  { agentName, podUid }: Pick<AgentHistory, 'agentName' | 'podUid'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      const [pod, service] = await Promise.all([
        api.send(`/api/v1/namespaces/${namespace}/pods/${agentName}`),
        api.send(`/api/v1/namespaces/${namespace}/services/${agentName}`),
      ]);
      if (pod.status === 404 || service.status === 404) return undefined;
      if (pod.status === 200 && service.status === 200) {
        const { metadata, status } = PlacedPod.parse(pod.body);
        const [{ nodePort }] = Service.parse(service.body).spec.ports;
        return metadata.uid === podUid ? `${status.hostIP}:${nodePort}` : undefined;
      }
    } catch (error) {
      if (error instanceof z.core.$ZodError) throw error; // any other error: the API server is away
    }
    await sleepUnlessAborted(lookMs, signal);
  }
  return undefined;
}

async function ask({ connectUrl, credential }: AgentEnv): Promise<Read> {
  const headers = { authorization: `Bearer ${credential}` };
  try {
    const answer = await fetch(connectUrl, { method: 'POST', headers });
    const text = await answer.text();
    return { atEpochMs: Date.now(), status: answer.status, ...(answer.status === 200 ? tokenIn(text) : {}) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { atEpochMs: Date.now(), status: 0 }; // davit is away, or was killed while it answered
  }
}

function tokenIn(text: string): Pick<Read, 'token' | 'incomplete'> {
  try {
    return { token: CompletedToken.parse(JSON.parse(text)) };
  } catch {
    return { incomplete: text }; // the judge evaluates it at the end
  }
}

const DavitsObject = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({ nodeName: z.string().default('') }).default({ nodeName: '' }),
});
export type DavitsObject = z.infer<typeof DavitsObject>;

/** Lists davit's objects in all namespaces. @param path the kind's, for example `/api/v1/pods` */
export async function listDavits(api: ApiClient, path: string): Promise<DavitsObject[]> {
  const { body } = await api.send(`${path}?labelSelector=${davits}`);
  return z.object({ items: z.array(DavitsObject) }).parse(body).items;
}

export function launchIdOf({ metadata }: DavitsObject): string {
  return metadata.labels[labelKeys.launchId] ?? '';
}

/** The existing Pods by the API server; none while it is away. */
async function listPods(api: ApiClient): Promise<unknown[]> {
  try {
    const { status, body } = await api.send(`/api/v1/pods?labelSelector=${davits}&resourceVersion=0`);
    return status === 200 ? Pods.parse(body).items : [];
  } catch (error) {
    if (error instanceof z.core.$ZodError) throw error;
    return [];
  }
}
