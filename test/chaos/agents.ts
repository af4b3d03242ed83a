import * as z from 'zod';
import { CompletedToken } from '../../functions/domain/completed-token.ts';
import { labelKeys } from '../../functions/domain/names.ts';
import { sleepUnlessAborted } from '../../functions/steps/sleep.ts';
import { type AgentEnv, agentEnvOf } from '../on-cluster/agent-env.ts';
import { addressOf } from './address-of.ts';
import type { AgentHistory, Read } from './history.ts';
import type { World } from './world.ts';

/** The agents of all Pods that there are. */
export interface Agents extends Disposable {
  histories(): AgentHistory[];
  /** The first agent of this name that was told its token; undefined when the signal is aborted first. */
  told(agentName: string, signal: AbortSignal): Promise<CompletedToken | undefined>;
}

const Pods = z.object({ items: z.array(z.unknown()) });
const AgentPod = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), labels: z.object({ [labelKeys.launchId]: z.string() }) }),
  spec: z.object({ nodeSelector: z.record(z.string(), z.string()).default({}) }),
});
const davits = encodeURIComponent(`${labelKeys.managedBy}=davit`);
const lookMs = 200;
const askMs = 300;
/** What is told must stay the same. */
const readsOfToken = 2;

/**
 * Begins to look for Pods. In place of an agent that kwok only says is running, this asks by the protocol, from the
 * moment when its Pod is there; one that runs asks by itself, and registers with the CI server.
 */
export function startAgents(world: Pick<World, 'api' | 'ci' | 'fail'>): Agents {
  const { api, ci } = world;
  const histories = new Map<string, AgentHistory>();
  const tokens = new Map<string, PromiseWithResolvers<CompletedToken | undefined>>();
  const tokenOf = (agentName: string) => {
    const known = tokens.get(agentName) ?? Promise.withResolvers<CompletedToken | undefined>();
    tokens.set(agentName, known);
    return known;
  };
  const stopping = new AbortController();
  const { signal } = stopping;

  const begin = (work: Promise<void>) => {
    work.catch((error) => signal.aborted || world.fail(error));
  };
  const keep = async (history: AgentHistory, read: Read) => {
    history.reads.push(read);
    if (read.token === undefined) return;
    const isAt = await addressOf(api, history, signal);
    if (isAt !== undefined) read.isAt = isAt;
    tokenOf(history.agentName).resolve(read.token);
  };
  const play = async (history: AgentHistory, env: AgentEnv) => {
    let toldTimes = 0;
    while (!signal.aborted && toldTimes < readsOfToken) {
      const read = await ask(env);
      await keep(history, read);
      if (read.status === 401 || read.status === 410) return;
      if (read.status === 200) toldTimes += 1;
      await sleepUnlessAborted(askMs, signal);
    }
  };
  const hear = async (history: AgentHistory) => {
    const { token } = await ci.registrationOf(history.agentName, signal);
    await keep(history, { atEpochMs: Date.now(), status: 200, token });
  };
  const look = async () => {
    while (!signal.aborted) {
      for (const pod of await listPods(world)) {
        const { metadata, spec } = AgentPod.parse(pod);
        if (histories.has(metadata.uid)) continue;
        const launchId = metadata.labels[labelKeys.launchId];
        const history = { launchId, agentName: metadata.name, podUid: metadata.uid, reads: [] };
        histories.set(metadata.uid, history);
        begin(spec.nodeSelector['type'] === 'kwok' ? play(history, agentEnvOf(pod)) : hear(history));
      }
      await sleepUnlessAborted(lookMs, signal);
    }
  };
  begin(look());
  return {
    histories: () => [...histories.values()],
    told: (agentName, waiting) => {
      const giveUp = () => tokenOf(agentName).resolve(undefined);
      if (waiting.aborted) giveUp();
      waiting.addEventListener('abort', giveUp, { once: true });
      return tokenOf(agentName).promise;
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

async function ask({ connectUrl, credential }: AgentEnv): Promise<Read> {
  const headers = { authorization: `Bearer ${credential}` };
  try {
    const answer = await fetch(connectUrl, { method: 'POST', headers });
    const text = await answer.text();
    return { atEpochMs: Date.now(), status: answer.status, ...(answer.status === 200 ? tokenIn(text) : {}) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { atEpochMs: Date.now(), status: 0 }; // davit is away, or was killed in the middle of its answer
  }
}

function tokenIn(text: string): Pick<Read, 'token' | 'incomplete'> {
  try {
    return { token: CompletedToken.parse(JSON.parse(text)) };
  } catch {
    return { incomplete: text }; // which is judged at the end
  }
}

/** As the API server remembers them; none while it is away. */
async function listPods({ api }: Pick<World, 'api'>): Promise<unknown[]> {
  try {
    const { status, body } = await api.send(`/api/v1/pods?labelSelector=${davits}&resourceVersion=0`);
    return status === 200 ? Pods.parse(body).items : [];
  } catch (error) {
    if (error instanceof z.core.$ZodError) throw error;
    return [];
  }
}
