import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Profile } from '../../core/config/config.ts';
import type { AgentLimit } from '../../core/limits/agent-limit.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Executions } from '../../ports/executions.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { Slots } from '../../ports/slots.ts';

/** The dependencies of handling the events of jobs. */
export interface JobDeps {
  ciSystems: readonly CiSystemConfig[];
  profiles: readonly Profile[];
  agentLimits: readonly AgentLimit[];
  /** The prefix of the names of all runners of this davit, see `runnerPrefixOf`. */
  installationId: string;
  launches: Pick<Launches, 'request' | 'get' | 'end' | 'listStandby'>;
  executions: Pick<Executions, 'start' | 'stop'>;
  invokeLater: InvokeLater<'clean-up' | 'publish-events'>;
  slots: Slots;
  jobs: Pick<
    Jobs,
    | 'note'
    | 'get'
    | 'getMany'
    | 'claimLaunch'
    | 'listLimited'
    | 'noteLimited'
    | 'noteNotLaunched'
    | 'noteRanBy'
    | 'noteRepository'
  >;
  registrations: Pick<Registrations, 'bind' | 'summon'>;
  clusterStates: Pick<ClusterStates, 'get'>;
  ciClocks: Pick<CiClocks, 'get'>;
  /** Reads the request's trace header. @default nothing is traced */
  traceHeader?: (() => string | undefined) | undefined;
  /** Makes the name of an attempt, which no other attempt has. */
  newNonce: () => string;
  nowEpochMs: () => number;
}
