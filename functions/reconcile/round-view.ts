import type { PoolLook } from '../../core/agent/pool.ts';
import type { CiScope } from '../../core/ci/ci-scope.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { DeliveryAttempt, FailingDelivery } from '../../core/ci/failing-delivery.ts';
import type { Profile } from '../../core/config/config.ts';
import type { CommitReport } from '../../core/job/commit-report.ts';
import type { JobRecord, SeenJob } from '../../core/job/job-record.ts';
import type { LostJob } from '../../core/job/lost-job.ts';
import type { LaunchRecord } from '../../core/launch/launch-record.ts';
import type { LaunchId } from '../../core/launch/names.ts';
import type { AgentLimit } from '../../core/limits/agent-limit.ts';
import type { WaitingForSlot } from '../../logic/lifecycle/admit-waiting.ts';
import type { RegisteredRunner } from './read-ci.ts';
import type { LatestWarm } from './read-warm.ts';
import type { SlotsWanted, WarmPool } from './warm-pools.ts';

/** What the CI system says of a job, and the job's record before. */
export interface JobNews {
  seen: SeenJob;
  /** Undefined for a job without a record, or whose record could not be read. */
  before: JobRecord | undefined;
}

/** The jobs of a CI system: what the system says of them, merged with their records. */
export interface JobsView {
  news: readonly JobNews[];
  /** Those that the CI system says are not over. */
  open: readonly JobRecord[];
  /** The keys of those that are over. */
  over: ReadonlySet<string>;
  /** Those that may not be over: davit has not asked, got no answer, or the system hides their repository. */
  unknown: readonly JobRecord[];
  /** Those of the unknown ones whose repository the system hides. */
  hidden: readonly JobRecord[];
}

/** The launches of a CI system, with the bindings that the jobs' news make. */
export interface LaunchesView {
  /** The live ones. */
  live: readonly LaunchRecord[];
  /** Every record that was read, whatever its status. */
  records: ReadonlyMap<LaunchId, LaunchRecord>;
  /** Launches of which nothing is known: their records are damaged, or the table did not answer. */
  unread: ReadonlySet<LaunchId>;
  /** Those whose runner the CI system no longer has. It said so when it was asked for that runner. */
  withoutRunner: ReadonlySet<LaunchId>;
}

/** Everything that one round knows of a CI system when it decides. */
export interface RoundView {
  system: CiSystemConfig;
  profiles: readonly Profile[];
  agentLimits: readonly AgentLimit[];
  installationId: string;
  nowEpochMs: number;
  /** When davit began to ask the CI system. */
  listedAtEpochMs: number;
  /** Says whether davit leaves a scope's pools alone: the CI system hides it, or says nothing about it. */
  isLeftAlone: (scope: CiScope) => boolean;
  jobs: JobsView;
  launches: LaunchesView;
  runners: readonly RegisteredRunner[];
  deliveries: {
    /** The webhooks that have not arrived, as far as earlier rounds know. */
    failing: readonly FailingDelivery[];
    attempts: readonly DeliveryAttempt[];
    /** How many deliveries the round may ask for again. */
    most: number;
  };
  /** What the last round saw of each pool. */
  looks: ReadonlyMap<string, PoolLook>;
  /** The jobs that wait for slots, of every CI system. */
  waiting: readonly WaitingForSlot[];
  warm: {
    pools: readonly WarmPool[];
    /** By the pool's key. */
    latest: ReadonlyMap<string, LatestWarm>;
    wanted: SlotsWanted;
  };
  /** The lost jobs without an outcome. */
  lost: readonly LostJob[];
  /** The reports on the CI system's pages, by the job's key. */
  told: ReadonlyMap<string, CommitReport>;
}
