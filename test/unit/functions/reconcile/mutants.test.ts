import type { Wrong } from '../../../support/ci-world.ts';
import { runAnyWorld, type WorldEnd } from './any-world.ts';

/** Runs worlds until one of them reveals the defect. */
async function firstToShow(wrong: Wrong, shows: (end: WorldEnd) => boolean): Promise<number | undefined> {
  for (let seed = 1; seed <= 20; seed += 1) if (shows(await runAnyWorld(seed, wrong))) return seed;
  return undefined;
}

test('ending an agent before its CI system is asked kills a job', async () => {
  const deletesFirst: Wrong = (deps, ends) => ({
    ...deps,
    invokeLater: async (functionName, event) => {
      if (functionName !== 'retire-runner') return;
      const ending = { outcome: 'terminated', code: 'Terminated', message: event.reason, by: event.by } as const;
      await ends.launches.end(event.launchId, { ...ending, atEpochMs: deps.nowEpochMs() });
    },
  });

  expect(await firstToShow(deletesFirst, ({ killed }) => killed.length > 0)).toBeDefined();
});

test('uncounted launches leave a job in the queue', async () => {
  const doesNotCount: Wrong = (deps) => ({
    ...deps,
    jobs: Object.assign(deps.jobs, { claimLaunch: async () => true }),
  });

  expect(await firstToShow(doesNotCount, ({ queued }) => queued > 0)).toBeDefined();
});

test('a davit that never looks at the queue leaves jobs in it', async () => {
  const looksNever: Wrong = (deps) => ({ ...deps, ciSystems: [] });

  expect(await firstToShow(looksNever, ({ queued }) => queued > 0)).toBeDefined();
});
