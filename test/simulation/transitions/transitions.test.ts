import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as transitions from '../../../core/launch/transitions.ts';
import { applyMistake } from '../mistakes/apply-mistake.ts';
import { firstRefused } from './first-refused.ts';
import { randomLaunch } from './random-launch.ts';
import { type TransitionMistake, transitionMistakes } from './transition-mistakes.ts';

const file = 'core/launch/transitions.ts';
const seeds = 300;
const copies: string[] = [];

afterAll(() => Promise.all(copies.map((copy) => rm(copy, { recursive: true }))));

/** Loads the transitions with a mistake in them, from a copy of core. */
async function withMistake(mistake: TransitionMistake): Promise<typeof transitions> {
  const copy = await mkdtemp(join(tmpdir(), 'davit-transitions-'));
  copies.push(copy);
  for (const folder of ['core', 'ci', 'ports']) await cp(folder, join(copy, folder), { recursive: true });
  await symlink(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
  await writeFile(join(copy, 'package.json'), '{"type":"module"}');
  const text = applyMistake({ ...mistake, file }, await readFile(file, 'utf8'));
  await writeFile(join(copy, file), text);
  return import(pathToFileURL(join(copy, file)).href);
}

test('the trace of a launch is allowed, whatever commands come in whatever order', () => {
  expect(firstRefused(transitions, seeds)).toBeUndefined();
});

test('and each command is seen to do something', () => {
  const traces = Array.from({ length: seeds }, (_, seed) => randomLaunch(transitions, seed));
  const seen = new Set(traces.flat().map(({ written }) => written.command));

  expect([...seen].toSorted()).toEqual([
    'begin',
    'bind',
    'claimCleanUp',
    'clearSignal',
    'complete',
    'end',
    'markCleaned',
    'markConnected',
    'markLeft',
    'noteDeregistered',
    'notePodState',
    'noteSignal',
    'relaunch',
    'request',
    'retire',
    'take',
  ]);
});

test.each(transitionMistakes)('the trace checker refuses it when $name', async (mistake) => {
  expect(firstRefused(await withMistake(mistake), seeds)?.finding.rule).toEqual(expect.any(String));
});
