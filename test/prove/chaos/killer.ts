import { setTimeout as sleep } from 'node:timers/promises';
import { stateMachineFunctions } from '../../../runtime/function-settings.ts';
import type { ExecutionHistories } from './history.ts';
import type { World } from './world.ts';

/** The kinds of victims. */
export type KillKind = 'davit' | 'kube-apiserver' | 'containerd';

/** The number of kills of each kind, out of twenty. */
const deck: readonly { kind: KillKind; times: number }[] = [
  { kind: 'davit', times: 12 },
  { kind: 'kube-apiserver', times: 4 },
  { kind: 'containerd', times: 4 },
];

/** The states at whose beginning davit dies, half of the times. */
const states = Object.keys(stateMachineFunctions).map((placeholder) => placeholder.replace('FunctionArn', ''));
/** The longest delay of a kill after a state begins. Most steps take less time. */
const longestAimMs = 30;
/** A state that nothing enters for this long is rare: do not wait for it. */
const aimForMs = 1000;
/**
 * Counts events instead of time: the number of kills per launch does not depend on the machine's speed. A successful
 * launch has about 30 events.
 */
const meanPauseEvents = 100;
/**
 * The longest pause while a kill stops all events. kubelet, kwok and kube-proxy wait up to a minute before they retry
 * the API server. It must not die again and again in that time.
 */
const longestPauseMs = 20_000;
/** How long a component of a cluster stays down, without its start-up time. */
const longestAwayMs = 2000;
/**
 * How long an API server stays down when launches have another cluster. Half of the times are long enough for davit to
 * notice.
 */
const longestFailoverMs = 16_000;

/** Kills at random moments until its disposal, which restarts every victim. */
export interface Killer extends AsyncDisposable {
  kills: Readonly<Record<KillKind, number>>;
}

/** @param random from 0 to 1 */
export function startKiller(world: World, executions: ExecutionHistories, random: () => number): Killer {
  const kills: Record<KillKind, number> = { davit: 0, 'kube-apiserver': 0, containerd: 0 };
  const stopping = new AbortController();
  const { signal } = stopping;
  const killAll = async () => {
    while (!signal.aborted) {
      for (const kind of shuffled(random)) {
        // Exponentially distributed: two kills sometimes come close together.
        const pauseEvents = Math.ceil(-Math.log(1 - random()) * meanPauseEvents);
        await executions.pass(pauseEvents, AbortSignal.any([signal, AbortSignal.timeout(longestPauseMs)]));
        if (signal.aborted) return;
        await killOne(world, executions, kind, random);
        kills[kind] += 1;
      }
    }
  };
  const ended = killAll().catch((error) => world.fail(error));
  return {
    kills,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await ended;
    },
  };
}

async function killOne(
  world: World,
  executions: ExecutionHistories,
  kind: KillKind,
  random: () => number,
): Promise<void> {
  switch (kind) {
    case 'davit': {
      const state = states[Math.floor(random() * states.length * 2)];
      const afterMs = random() * longestAimMs;
      if (state !== undefined) await executions.entered(state, AbortSignal.timeout(aimForMs));
      await sleep(afterMs);
      return world.killDavit();
    }
    case 'kube-apiserver':
    case 'containerd': {
      const { clusters } = world;
      const { cluster } = clusters[Math.floor(random() * clusters.length)] ?? {};
      if (cluster === undefined) return;
      const component = kind === 'containerd' ? `${cluster.nodes[0]?.name}-containerd` : kind;
      const isLong = clusters.length > 1 && kind === 'kube-apiserver';
      await cluster.signal(component, 'SIGKILL');
      await sleep(random() * (isLong ? longestFailoverMs : longestAwayMs));
      return cluster.start(component);
    }
  }
}

/** A deck with each card once, in random order. */
function shuffled(random: () => number): KillKind[] {
  const cards = deck.flatMap(({ kind, times }) => Array.from({ length: times }, () => kind));
  return cards
    .map((kind) => ({ kind, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ kind }) => kind);
}
