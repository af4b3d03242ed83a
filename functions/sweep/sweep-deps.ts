import type { Profile } from '../../core/config/config.ts';
import type { OpenCluster } from '../../ports/cluster.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Executions } from '../../ports/executions.ts';
import type { InvokeLater } from '../../ports/invoke-later.ts';
import type { Launches } from '../../ports/launches.ts';
import type { SweepLimits } from './sweep-run.ts';

/** The dependencies of a sweep. */
export interface SweepDeps {
  /** The names in davit.yaml. */
  clusters: readonly string[];
  profiles: readonly Pick<Profile, 'clusters' | 'namespace'>[];
  clusterStates: Pick<ClusterStates, 'get'>;
  openCluster: OpenCluster;
  launches: Pick<Launches, 'list' | 'get' | 'getMany' | 'noteSignal' | 'end' | 'claimCleanUp'>;
  executions: Executions;
  invokeLater: InvokeLater<'clean-up' | 'retire-runner'>;
  nowEpochMs: () => number;
  limits: SweepLimits;
}
