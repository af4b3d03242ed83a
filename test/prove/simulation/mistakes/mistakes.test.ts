import { readFile } from 'node:fs/promises';
import { judge } from '../../../../simulation/invariants/invariants.ts';
import { verifyJobs } from '../../../../verify/jobs/verify-jobs.ts';
import { brokenVariants } from '../../model/checks.ts';
import { jobEventsOf } from '../evidence/job-events.ts';
import { runTraced, verifyRun } from '../evidence/trace-of.ts';
import { applyMistake } from './apply-mistake.ts';
import { mistakes } from './mistakes.ts';
import { provoking } from './provoked-world.ts';

test.each(mistakes)('the mistake $name still fits its source', async (mistake) => {
  const text = await readFile(new URL(`../../../../${mistake.file}`, import.meta.url), 'utf8');

  expect(applyMistake(mistake, text)).not.toBe(text);
});

test('there are 20 mistakes', () => {
  expect(mistakes).toHaveLength(20);
});

test('a mistake whose source has changed names itself and its file', () => {
  const mistake = { ...mistakes[0]!, name: 'old-one', file: 'functions/a.ts', old: 'b' };

  expect(() => applyMistake(mistake, 'b b')).toThrow('mistake old-one: functions/a.ts has its old text 2 times');
  expect(() => applyMistake(mistake, 'c')).toThrow('mistake old-one: functions/a.ts has its old text 0 times');
});

test('the model refutes each variant that a mistake names', () => {
  const titles = brokenVariants.map(({ title }) => title);

  expect(titles).toEqual(expect.arrayContaining(mistakes.flatMap(({ model }) => model ?? [])));
});

const provoked = mistakes.flatMap(({ name, provoked: how }) => (how === undefined ? [] : [{ name, how }]));

test.each(provoked)('no judge sees anything in the worlds that provoke $name, without it', async ({ how }) => {
  for (const seed of [2, 4, 8, 10, 14, 16]) {
    const run = await runTraced(seed, provoking(how));

    const found = {
      simulation: judge(run),
      trace: verifyRun(run).findings,
      jobs: verifyJobs(jobEventsOf(run)).findings,
    };

    expect({ seed, ...found }).toEqual({ seed, simulation: [], trace: [], jobs: [] });
  }
});
