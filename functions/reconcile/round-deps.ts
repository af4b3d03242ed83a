import type { Profile } from '../../core/config/config.ts';
import { type AdmitDeps, listWaitingForSlots, type WaitingForSlot } from '../../logic/lifecycle/admit-waiting.ts';
import { whyAllAway } from '../../logic/lifecycle/all-away.ts';
import type { ReconcileDeps } from './reconcile-deps.ts';

/** The dependencies of reconciling, in one round. */
export interface RoundDeps extends ReconcileDeps {
  waiting: WaitingList;
  /** Says why no cluster of a profile can take a launch; undefined when one can. Reads the clusters once a round. */
  whyAway: (profile: Profile) => Promise<string | undefined>;
}

/** Makes the dependencies of one round. */
export function roundDepsOf(deps: ReconcileDeps): RoundDeps {
  return {
    ...deps,
    waiting: new WaitingList(deps),
    whyAway: eachProfileOnce((profile) => whyAllAway(deps, profile)),
  };
}

/** Makes a question about profiles that is asked once for each, and again only after it had no answer. */
function eachProfileOnce<Answer>(ask: (profile: Profile) => Promise<Answer>): (profile: Profile) => Promise<Answer> {
  const asked = new Map<string, Promise<Answer>>();
  return async (profile) => {
    const answer = asked.get(profile.name) ?? ask(profile);
    asked.set(profile.name, answer);
    try {
      return await answer;
    } catch (error) {
      asked.delete(profile.name);
      throw error;
    }
  };
}

/** The jobs that wait for slots. A round lists them once, and once more if it has changed who waits. */
export class WaitingList {
  readonly #deps: AdmitDeps;
  #atFirst: Promise<WaitingForSlot[]> | undefined;
  #isOld = false;

  constructor(deps: AdmitDeps) {
    this.#deps = deps;
  }

  /** Lists them as the round first found them. @throws TransientError StoreUnavailable; the next call tries again */
  async atFirst(): Promise<WaitingForSlot[]> {
    const listed = this.#atFirst ?? listWaitingForSlots(this.#deps);
    this.#atFirst = listed;
    try {
      return await listed;
    } catch (error) {
      this.#atFirst = undefined;
      throw error;
    }
  }

  /** Lists them as they are now, as far as the round knows. @throws TransientError StoreUnavailable */
  async now(): Promise<WaitingForSlot[]> {
    return this.#isOld ? listWaitingForSlots(this.#deps) : this.atFirst();
  }

  /** Notes that a job has begun to wait or waits no more, or may not have seen a slot that is free now. */
  hasChanged(): void {
    this.#isOld = true;
  }
}
