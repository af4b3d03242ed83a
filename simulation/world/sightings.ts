import type { PodView } from '../../core/pod/kubernetes-objects.ts';

/** A step's look at its launch's Pod. Only such looks can justify an ending for lasting trouble. */
export interface Sighting {
  atEpochMs: number;
  uid: string;
  /** Whether the Pod still had the seen state: a suspended function sees an old state late. */
  isCurrent: boolean;
  /** Absent for a look at the Pod's Events. */
  pod?: PodView;
  /** For a look at the Events: whether the Pod had no sandbox at that moment. */
  lacksSandbox?: boolean;
}

/** All looks of each launch's steps at its Pods, in chronological order. */
export class Sightings {
  readonly #byLaunch = new Map<string, Sighting[]>();

  add(launchId: string, sighting: Sighting): void {
    const known = this.#byLaunch.get(launchId);
    if (known === undefined) this.#byLaunch.set(launchId, [sighting]);
    else known.push(sighting);
  }

  of(launchId: string): readonly Sighting[] {
    return this.#byLaunch.get(launchId) ?? [];
  }
}
