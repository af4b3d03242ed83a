import { setTimeout as sleep } from 'node:timers/promises';
import { type FunctionName, stateMachineFunctions } from '../../functions/manifest.ts';
import type { ExecutionHistories } from './history.ts';
import type { World } from './world.ts';

/** What is killed. */
export type KillKind = 'function' | 'davit' | 'kube-apiserver' | 'containerd';

/** Of twenty kills, so many are of each kind. */
const deck: readonly { kind: KillKind; times: number }[] = [
  { kind: 'function', times: 14 },
  { kind: 'davit', times: 2 },
  { kind: 'kube-apiserver', times: 2 },
  { kind: 'containerd', times: 2 },
];

/** What can die, and at whose beginning: at any moment, where there is no state of its own. */
const targets: readonly { name: FunctionName; state?: string }[] = [
  ...Object.entries(stateMachineFunctions).map(([placeholder, name]) => ({
    name,
    state: placeholder.replace('FunctionArn', ''),
  })),
  ...(['webhook', 'connect', 'launches', 'sweep', 'publish-events', 'clean-up'] as const).map((name) => ({ name })),
];
/** How far into a step it is killed, at most: most take less. */
const longestAimMs = 30;
/** A state that is not entered for so long is one of those that are rarely needed. */
const aimForMs = 1000;
/**
 * By what happens rather than by the clock: as many kills for each launch, however fast the machine is. A launch that
 * works has about 30 events.
 */
const meanPauseEvents = 100;
/**
 * While nothing happens, because something was killed: kubelet, kwok and kube-proxy wait for up to a minute before they
 * try the API server again, which is not to be killed again and again meanwhile.
 */
const longestPauseMs = 20_000;
/** How long a component of the cluster is away, beside the time that it takes to come up. */
const longestAwayMs = 2000;

/** Kills at random moments, until it is disposed of: then everything that it killed has been started again. */
export interface Killer extends AsyncDisposable {
  kills: Readonly<Record<KillKind, number>>;
}

/**
 * Begins to kill.
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
        // Exponential: two kills come close together at times.
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
      const { cluster } = world;
      const component = kind === 'containerd' ? `${cluster.nodes[0]?.name}-containerd` : kind;
      await cluster.signal(component, 'SIGKILL');
      await sleep(random() * longestAwayMs);
      return cluster.start(component);
    }
  }
}

/** One of each card of the deck, in any order. */
function shuffled(random: () => number): KillKind[] {
  const cards = deck.flatMap(({ kind, times }) => Array.from({ length: times }, () => kind));
  return cards
    .map((kind) => ({ kind, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ kind }) => kind);
}
