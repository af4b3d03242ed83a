import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Profile } from '../../core/config/config.ts';
import type { AgentLimit } from '../../core/limits/agent-limit.ts';
import type { RequestLimitedDeps } from '../../logic/lifecycle/request-limited.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import type { CiSystem } from '../../ports/ci-system.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { FailingDeliveries } from '../../ports/failing-deliveries.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import type { RateSpending } from '../../ports/rate-spending.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { CommitReports, Retirements } from '../../ports/requests.ts';
import type { RoundCursors } from '../../ports/round-cursors.ts';
import type { ToldJobs } from '../../ports/told-jobs.ts';

/** The dependencies of reconciling. */
export interface ReconcileDeps extends RequestLimitedDeps {
  ciSystems: readonly CiSystemConfig[];
  profiles: readonly Profile[];
  /** The limits of organizations and repositories. */
  agentLimits: readonly AgentLimit[];
  /** The prefix of the names of all runners of this davit, see `runnerPrefixOf`. */
  installationId: string;
  /** @throws TerminalError CiRefused for a CI system without a credential */
  ciSystemOf: (ciSystem: string) => CiSystem;
  launches: Pick<Launches, 'list' | 'get' | 'getMany' | 'request'>;
  clusterStates: Pick<ClusterStates, 'get'>;
  jobs: Jobs;
  registrations: Pick<Registrations, 'bind' | 'noteDeregistered'>;
  retirements: Retirements;
  spending: RateSpending;
  cursors: RoundCursors;
  failingDeliveries: FailingDeliveries;
  ciClocks: CiClocks;
  lost: LostJobs;
  told: Pick<ToldJobs, 'listPending'>;
  commitReports: CommitReports;
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
