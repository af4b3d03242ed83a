import { setTimeout as sleep } from 'node:timers/promises';
import { type FunctionName, stateMachineFunctions } from '../../functions/manifest.ts';
import type { ExecutionHistories } from './history.ts';
import type { World } from './world.ts';

/** The kinds of victims. */
export type KillKind = 'function' | 'davit' | 'kube-apiserver' | 'containerd';

/** The number of kills of each kind, out of twenty. */
const deck: readonly { kind: KillKind; times: number }[] = [
  { kind: 'function', times: 14 },
  { kind: 'davit', times: 2 },
  { kind: 'kube-apiserver', times: 2 },
  { kind: 'containerd', times: 2 },
];

/** The victims, each with the state at whose beginning it dies; at any moment if there is none. */
const targets: readonly { name: FunctionName; state?: string }[] = [
  ...Object.entries(stateMachineFunctions).map(([placeholder, name]) => ({
    name,
    state: placeholder.replace('FunctionArn', ''),
  })),
  ...(['webhook', 'connect', 'launches', 'sweep', 'publish-events', 'clean-up'] as const).map((name) => ({ name })),
];
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

/**
 * Starts to kill.
 *
 * @param random from 0 to 1
 */
export function startKiller(world: World, executions: ExecutionHistories, random: () => number): Killer {
  const kills: Record<KillKind, number> = { function: 0, davit: 0, 'kube-apiserver': 0, containerd: 0 };
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
    case 'function': {
      const target = targets[Math.floor(random() * targets.length)];
      const afterMs = random() * longestAimMs;
      if (target?.state !== undefined) await executions.entered(target.state, AbortSignal.timeout(aimForMs));
      await sleep(afterMs);
      if (target !== undefined) await (await world.davit()).killFunction(target.name);
      return;
    }
    case 'davit':
      return world.killDavit();
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
