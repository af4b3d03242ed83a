import type { Profile } from '../../functions/domain/config.ts';
import { FakeCleanUps } from './fake-clean-ups.ts';
import { FakeExecutions } from './fake-executions.ts';
import { makeProfile } from './make-profile.ts';
import { MemoryLaunches } from './memory-launches.ts';

/** 2026-06-01T10:00:00Z. */
export const testNowEpochMs = 1_780_308_000_000;

/** What functions that ask for launches and end them need: fakes that start empty, and a clock that stands still. */
export interface TestLaunchDeps {
  profiles: readonly Profile[];
  launches: MemoryLaunches;
  executions: FakeExecutions;
  cleanUps: FakeCleanUps;
  nowEpochMs: () => number;
}

/** Makes them. */
export function makeLaunchDeps(overrides: Partial<TestLaunchDeps> = {}): TestLaunchDeps {
  return {
    profiles: [makeProfile()],
    launches: new MemoryLaunches(),
    executions: new FakeExecutions(),
    cleanUps: new FakeCleanUps(),
    nowEpochMs: () => testNowEpochMs,
    ...overrides,
  };
}
