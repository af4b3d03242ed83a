import type { CiSystemConfig } from '../domain/ci-system-config.ts';
import type { Profile } from '../domain/config.ts';
import type { RequestLaunchDeps } from '../launch-lifecycle/request-launch.ts';
import type { CiSystem } from '../ports/ci-system.ts';
import type { Jobs } from '../ports/jobs.ts';
import type { Launches } from '../ports/launches.ts';
import type { Registrations } from '../ports/registrations.ts';
import type { Retirements } from '../ports/retirements.ts';

/** What reconciling needs. */
export interface ReconcileDeps extends RequestLaunchDeps {
  ciSystems: readonly CiSystemConfig[];
  profiles: readonly Profile[];
  /** Begins the names of all runners of this davit, see `runnerPrefixOf`. */
  installationId: string;
  /** @throws TerminalError CiRefused for a CI system without a credential */
  ciSystemOf: (ciSystem: string) => CiSystem;
  launches: Pick<Launches, 'list' | 'get' | 'getMany' | 'request'>;
  jobs: Jobs;
  registrations: Pick<Registrations, 'bind' | 'noteDeregistered'>;
  retirements: Retirements;
  sleep: (ms: number) => Promise<void>;
  nowEpochMs: () => number;
  /** When it stops beginning anything, in milliseconds from its start. */
  totalMs: number;
}

/**
 * The limit of a function with a time-out of 55 s: what begins just before 30 s may wait 15 s for a CI system to settle,
 * and call a service that does not answer, for 9 s.
 */
export const reconcileTotalMs = 30_000;
