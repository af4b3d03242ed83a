import { randomUUID } from 'node:crypto';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { Profile } from '../../core/config/config.ts';
import type { AgentLimit } from '../../core/limits/agent-limit.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteCiClocks } from '../../local/store/sqlite-ci-memory.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { sqliteJobs } from '../../local/store/sqlite-jobs.ts';
import { sqliteRequestPace } from '../../local/store/sqlite-request-pace.ts';
import { sqliteSlots } from '../../local/store/sqlite-slots.ts';
import { createSystemPace, type SystemPace, type SystemPaceDeps } from '../../logic/pace/system-pace.ts';
import { registrationsIn } from '../../logic/records/registrations-in.ts';
import type { CiClocks } from '../../ports/ci-clocks.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';
import type { Jobs } from '../../ports/jobs.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { Slots } from '../../ports/slots.ts';
import { FakeExecutions } from './fake-executions.ts';
import { type FakeInvokeLater, fakeInvokeLater } from './fake-invoke-later.ts';
import { makeProfile } from './make-profile.ts';
import { MemoryLaunches } from './memory-launches.ts';

/** 2026-06-01T10:00:00Z. */
export const testNowEpochMs = 1_780_308_000_000;

/** The installation id of the davit under test. */
export const testInstallationId = '0a1b2c3d';

/** The dependencies of functions that request and end launches: empty fakes, and a clock that stands still. */
export interface TestLaunchDeps {
  profiles: readonly Profile[];
  ciSystems: readonly CiSystemConfig[];
  agentLimits: readonly AgentLimit[];
  slots: Slots;
  newNonce: () => string;
  launches: MemoryLaunches;
  executions: FakeExecutions;
  invokeLater: FakeInvokeLater;
  jobs: Jobs;
  ciClocks: CiClocks;
  clusterStates: ClusterStates;
  registrations: Registrations;
  installationId: string;
  /** @default nothing has a limit */
  pace: SystemPace;
  nowEpochMs: () => number;
}

/** Makes a pace of its own for some CI systems; others have no limit. */
export function testPace(ciSystems: SystemPaceDeps['ciSystems'], nowEpochMs: () => number): SystemPace {
  return createSystemPace({ ciSystems, requestPace: sqliteRequestPace(openStore(':memory:')), nowEpochMs });
}

/** Makes a test's own dependencies. */
export function makeLaunchDeps(overrides: Partial<TestLaunchDeps> = {}): TestLaunchDeps {
  const { launches = new MemoryLaunches() } = overrides;
  const store = openStore(':memory:');
  return {
    profiles: [makeProfile()],
    ciSystems: [],
    agentLimits: [],
    slots: sqliteSlots(store),
    newNonce: randomUUID,
    launches,
    jobs: sqliteJobs(store),
    ciClocks: sqliteCiClocks(store),
    clusterStates: sqliteClusterStates(store),
    registrations: registrationsIn(launches.records),
    installationId: testInstallationId,
    pace: testPace([], overrides.nowEpochMs ?? (() => testNowEpochMs)),
    executions: new FakeExecutions(),
    invokeLater: fakeInvokeLater(),
    nowEpochMs: () => testNowEpochMs,
    ...overrides,
  };
}
