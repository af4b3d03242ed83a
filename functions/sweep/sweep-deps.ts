import type { Profile } from '../domain/config.ts';
import type { CleanUps } from '../ports/clean-ups.ts';
import type { OpenCluster } from '../ports/cluster.ts';
import type { Executions } from '../ports/executions.ts';
import type { Launches } from '../ports/launches.ts';
import type { Retirements } from '../ports/retirements.ts';
import type { SweepLimits } from './sweep-run.ts';

/** What a sweep needs. */
export interface SweepDeps {
  profiles: readonly Pick<Profile, 'clusters' | 'namespace'>[];
  openCluster: OpenCluster;
  launches: Pick<Launches, 'list' | 'get' | 'getMany' | 'noteSignal' | 'end' | 'claimCleanUp'>;
  executions: Executions;
  cleanUps: CleanUps;
  retirements: Retirements;
  nowEpochMs: () => number;
  limits: SweepLimits;
}
