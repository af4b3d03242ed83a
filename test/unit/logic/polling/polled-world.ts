import type { CiSystemConfig, RunnerProvider } from '../../../../core/ci/ci-system-config.ts';
import { reconcile } from '../../../../functions/reconcile/reconcile.ts';
import { retireRunner } from '../../../../functions/retire-runner/retire-runner.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqlitePollCursors, sqliteRoundMemory } from '../../../../local/store/sqlite-ci-memory.ts';
import type { PollDeps } from '../../../../logic/polling/poll-deps.ts';
import type { CiSystem } from '../../../../ports/ci-system.ts';
import { makeLaunchDeps, type TestLaunchDeps } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';

/** The dependencies of polling, and of the functions that act beside it. */
export type PolledWorld = PollDeps & TestLaunchDeps & { ciSystemOf: (name: string) => CiSystem };

/** What a test of polling decides. */
export interface PolledWorldOptions {
  system: CiSystemConfig & { provider: RunnerProvider };
  /** The labels of the only profile. */
  labels: string[];
  ciSystemOf: () => CiSystem;
  nowEpochMs: () => number;
  /** @default no time passes */
  sleep?: (ms: number) => Promise<void>;
}

/** Makes the dependencies of a test that polls one CI system. */
export function makePolledWorld({ system, labels, ciSystemOf, nowEpochMs, sleep }: PolledWorldOptions): PolledWorld {
  const profiles = [makeProfile({ labels, runner: system.provider })];
  return {
    ...makeLaunchDeps({ profiles, ciSystems: [system], nowEpochMs }),
    ciSystemOf,
    cursors: sqlitePollCursors(openStore(':memory:')),
    sleep: sleep ?? (async () => {}),
  };
}

/** Does what the function retire-runner does for each request. @returns the outcomes */
export async function retireAsked(deps: PolledWorld): Promise<string[]> {
  const outcomes: string[] = [];
  for (const asked of deps.invokeLater.events['retire-runner'].splice(0)) {
    outcomes.push((await retireRunner(deps, asked)).outcome);
  }
  return outcomes;
}

/** Makes a function that runs one round of reconciling, which keeps its memory from one round to the next. */
export function reconciling(deps: PolledWorld): () => Promise<void> {
  const memory = sqliteRoundMemory(openStore(':memory:'));
  return async () => void (await reconcile({ ...deps, ...memory, totalMs: 25_000 }));
}
