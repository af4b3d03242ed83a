import { judge } from '../../../simulation/invariants/invariants.ts';
import { brokenLine, findingReport } from '../../../simulation/report.ts';
import { runSeed } from '../../../simulation/run-seed.ts';
import { runSeeds } from '../../../simulation/run-seeds.ts';
import { shrink } from '../../../simulation/shrink.ts';
import type { FaultPlan } from '../../../simulation/world/faults.ts';
import type { Mutation } from '../../../simulation/world/world.ts';
import { objectMutants } from './mutants/of-objects.ts';

const adopts = objectMutants['an object that exists is adopted without a look at its label'];

test('a run that breaks an invariant is shrunk to the faults and the jobs that break it', async () => {
  const plan: FaultPlan = new Map([
    ['nameTaken', 1],
    ['clockSkew', 0.4],
    ['watchGap', 0.4],
  ]);
  const mutation = adopts?.mutation ?? {};
  const run = await runSeed(1, { plan, jobs: 6, queued: 2, mutation });
  const [violation] = judge(run);

  const shrunk = await shrink(run, violation?.invariant ?? '', { mutation });

  expect([...shrunk.plan.keys()]).toEqual(['nameTaken']);
  expect([shrunk.jobs, shrunk.queued]).toEqual([1, 0]);
});

test('a finding says how to reproduce it, and everything that happened', async () => {
  const run = await runSeed(3, { plan: new Map([['watchGap', 0.4]]), jobs: 1, queued: 0 });

  const report = findingReport({ plan: run.plan, jobs: 1, queued: 0, run }, ['an invariant: how it was broken']);

  expect(report).toContain('✗ an invariant: how it was broken');
  expect(report).toContain('npm run simulate -- --seed 3 --seeds 1 --jobs 1 --queued 0 --faults watchGap=0.4 --trace');
  expect(report.split('\n')).toHaveLength(run.history.length + 2);
});

test('a broken seed is reported immediately, with the command that reproduces it', () => {
  const broken = { seed: 7, violations: [{ invariant: 'an invariant', detail: 'how it was broken' }] };

  expect(brokenLine(broken)).toBe(
    '✗ seed 7: an invariant: how it was broken\n  again: npm run simulate -- --seed 7 --seeds 1 --trace',
  );
});

test('a run that throws counts as broken, and the other runs still happen', async () => {
  let runs = 0;
  const logic: Mutation['logic'] = (davit) => {
    runs += 1;
    if (runs === 2) throw new RangeError('the world is at fault');
    return davit;
  };

  const { broken, runs: judged } = await runSeeds({ fromSeed: 1, seeds: 3 }, { plan: new Map(), mutation: { logic } });

  expect(judged).toBe(2);
  expect(broken).toMatchObject([
    { seed: 2, violations: [{ detail: expect.stringContaining('the world is at fault') }] },
  ]);
});
