import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Profile } from '../../core/config/config.ts';
import type { AgentLimit } from '../../core/limits/agent-limit.ts';
import { type AdmitDeps, listWaitingForSlots, type WaitingForSlot } from '../../logic/lifecycle/admit-waiting.ts';
import { whyAllAway } from '../../logic/lifecycle/all-away.ts';
import type { RequestLimitedDeps } from '../../logic/lifecycle/request-limited.ts';
import type { SystemPace } from '../../logic/pace/system-pace.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { FailingDeliveries } from '../../ports/failing-deliveries.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import type { RateSpending } from '../../ports/rate-spending.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { RoundCursors } from '../../ports/round-cursors.ts';
import type { ToldJobs } from '../../ports/told-jobs.ts';

/** The dependencies of reconciling. */
export interface ReconcileDeps extends RequestLimitedDeps {
  ciSystems: readonly CiSystemConfig[];
  profiles: readonly Profile[];
  agentLimits: readonly AgentLimit[];
  /** The prefix of the names of all runners of this davit, see `runnerPrefixOf`. */
  installationId: string;
  /** @throws TerminalError CiRefused for a CI system without a credential */
  ciSystemOf: (ciSystem: string) => CiSystem;
  launches: Pick<Launches, 'list' | 'get' | 'getMany' | 'request'>;
  clusterStates: Pick<ClusterStates, 'get'>;
  jobs: Jobs;
  registrations: Pick<Registrations, 'bind' | 'noteDeregistered' | 'summon'>;
  invokeLater: InvokeLater<'retire-runner' | 'report-to-ci'>;
  spending: RateSpending;
  pace: SystemPace;
  cursors: RoundCursors;
  failingDeliveries: FailingDeliveries;
  ciClocks: CiClocks;
  lost: LostJobs;
  told: Pick<ToldJobs, 'listPending'>;
  sleep: (ms: number) => Promise<void>;
  nowEpochMs: () => number;
  /** When it begins nothing more, in milliseconds from its start. */
  totalMs: number;
}

/**
 * The limit of a function with a time-out of 59 s: an action that begins just before 25 s may wait 15 s for a CI system
 * to settle, and then call a service that does not answer, for 9 s. The event of its repair may take 9 s, too.
 */
export const reconcileTotalMs = 25_000;

/** The dependencies of reconciling, in one round. */
export interface RoundDeps extends ReconcileDeps {
  waiting: WaitingList;
  /** Says why no cluster of a profile can take a launch; undefined when one can. Reads the clusters once a round. */
  whyAway: (profile: Profile) => Promise<string | undefined>;
}

/** Makes the dependencies of one round. */
export function roundDepsOf(deps: ReconcileDeps): RoundDeps {
  return { ...deps, waiting: new WaitingList(deps), whyAway: eachProfileOnce((profile) => whyAllAway(deps, profile)) };
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
