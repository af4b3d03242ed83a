import type { Profile } from '../../functions/domain/config.ts';
import type { Registrations } from '../../functions/ports/registrations.ts';
import { FakeCleanUps } from './fake-clean-ups.ts';
import { FakeExecutions } from './fake-executions.ts';
import { FakeRetirements } from './fake-retirements.ts';
import { makeProfile } from './make-profile.ts';
import { MemoryJobs } from './memory-jobs.ts';
import { MemoryLaunches } from './memory-launches.ts';
import { memoryRegistrations } from './memory-registrations.ts';

/** 2026-06-01T10:00:00Z. */
export const testNowEpochMs = 1_780_308_000_000;

/** Of the davit under test. */
export const testInstallationId = '0a1b2c3d';

/** What functions that ask for launches and end them need: fakes that start empty, and a clock that stands still. */
export interface TestLaunchDeps {
  profiles: readonly Profile[];
  launches: MemoryLaunches;
  executions: FakeExecutions;
  cleanUps: FakeCleanUps;
  retirements: FakeRetirements;
  jobs: MemoryJobs;
  registrations: Registrations;
  installationId: string;
  nowEpochMs: () => number;
}

/** Makes them. */
export function makeLaunchDeps(overrides: Partial<TestLaunchDeps> = {}): TestLaunchDeps {
  const { launches = new MemoryLaunches() } = overrides;
  return {
    profiles: [makeProfile()],
    launches,
    retirements: new FakeRetirements(),
    jobs: new MemoryJobs(),
    registrations: memoryRegistrations(launches),
    installationId: testInstallationId,
    executions: new FakeExecutions(),
    cleanUps: new FakeCleanUps(),
    nowEpochMs: () => testNowEpochMs,
    ...overrides,
  };
}
