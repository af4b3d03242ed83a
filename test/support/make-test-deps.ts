import type { Profile } from '../../core/config/config.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteRoundMemory } from '../../local/store/sqlite-ci-memory.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { sqliteJobs } from '../../local/store/sqlite-jobs.ts';
import { sqliteTokens } from '../../local/store/sqlite-tokens.ts';
import type { OpenCluster } from '../../ports/cluster.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { CredentialIssuer } from '../../ports/credentials.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Launches } from '../../ports/launches.ts';
import type { LostJobs } from '../../ports/lost-jobs.ts';
import type { TokenPublisher } from '../../ports/tokens.ts';
import { credentialIdOf, epochMs, planOf, recordOf } from '../contract/launch-fixtures.ts';
import { makeProfile } from './make-profile.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { MemoryLaunches } from './memory-launches.ts';
import { TestClock } from './test-clock.ts';

/** The dependencies of all steps of a launch, in memory. */
export interface TestDeps {
  clock: TestClock;
  cluster: MemoryCluster;
  openCluster: OpenCluster;
  clusterStates: ClusterStates;
  launches: Launches;
  jobs: Jobs;
  lost: LostJobs;
  tokens: TokenPublisher;
  credentials: CredentialIssuer;
  newCredentialId: () => string;
  /** The names in davit.yaml. */
  clusters: readonly string[];
  profiles: readonly Profile[];
  publicUrl: string;
  nowEpochMs: () => number;
  sleepMs: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The profile of test launches. */
export const testProfile = makeProfile({ labels: ['self-hosted', 'linux'], namespace: 'davit-agents' });

/** Makes a test's own dependencies, at 2026-01-01T00:00:00Z. */
export function makeTestDeps(overrides: Partial<TestDeps> = {}): TestDeps {
  const clock = overrides.clock ?? new TestClock(epochMs);
  const cluster = overrides.cluster ?? new MemoryCluster(clock);
  const store = openStore(':memory:');
  let credentials = 0;
  return {
    clock,
    cluster,
    openCluster: async () => cluster,
    clusterStates: sqliteClusterStates(store),
    launches: new MemoryLaunches(),
    jobs: sqliteJobs(store),
    lost: sqliteRoundMemory(store).lost,
    tokens: sqliteTokens(store),
    credentials: {
      issue: async ({ agentName, launchId, credentialId }, expiresAtEpochSeconds) =>
        `credential ${credentialId.slice(-1)} of ${agentName} for ${launchId} until ${expiresAtEpochSeconds}`,
    },
    newCredentialId: () => credentialIdOf((credentials += 1)),
    clusters: ['sandbox'],
    profiles: [testProfile],
    publicUrl: 'https://davit.example',
    nowEpochMs: clock.nowEpochMs,
    sleepMs: clock.sleepMs,
    ...overrides,
  };
}

/** The launch of most tests. */
export const testLaunchId = 'github-1-2-1';
/** Its agent's name. */
export const testAgentName = 'davit-github-1-2-1';

/**
 * Writes a launch's record, as the functions webhook and launches do.
 *
 * @returns the plan that its execution starts with
 */
export async function requestLaunch(deps: TestDeps, overrides: Partial<LaunchPlan> = {}): Promise<LaunchPlan> {
  const plan = planOf(testLaunchId, overrides);
  await deps.launches.request(recordOf(testLaunchId, { plan }));
  return plan;
}
