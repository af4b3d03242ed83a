import type { PodView } from '../../functions/domain/kubernetes-objects.ts';

/** What a step saw of its launch's Pod: only this can justify that it ended the launch for trouble that lasted. */
export interface Sighting {
  atEpochMs: number;
  uid: string;
  /** Absent for a look at the Pod's Events. */
  pod?: PodView;
  /** Of a look at the Events: whether the Pod had no sandbox at that moment. */
  lacksSandbox?: boolean;
}

/** Everything that the steps of each launch saw of its Pods, in the order of time. */
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
