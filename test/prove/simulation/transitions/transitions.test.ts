import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as transitions from '../../../../core/launch/transitions.ts';
import { applyMistake } from '../mistakes/apply-mistake.ts';
import { firstRefused } from './first-refused.ts';
import { randomLaunch } from './random-launch.ts';
import { transitionMistakes } from './transition-mistakes.ts';

const file = 'core/launch/transitions.ts';
const seeds = 300;

const copy = await mkdtemp(join(tmpdir(), 'davit-transitions-'));
afterAll(() => rm(copy, { recursive: true }));
for (const folder of ['core', 'ci', 'ports']) await cp(folder, join(copy, folder), { recursive: true });
await symlink(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));
await writeFile(join(copy, 'package.json'), '{"type":"module"}');

/** Loads the transitions with a mistake in them, from a file of their own in the copy. */
async function withMistake(name: string, old: string, changed: string): Promise<typeof transitions> {
  const text = applyMistake({ name, file, old, new: changed }, await readFile(file, 'utf8'));
  const mistaken = join(copy, dirname(file), `${name.replaceAll(' ', '-')}.ts`);
  await writeFile(mistaken, text);
  return import(pathToFileURL(mistaken).href);
}

test('the trace of a launch is allowed, whatever commands come in whatever order', () => {
  expect(firstRefused(transitions, seeds)).toBeUndefined();
});

test('and each command is seen to do something', () => {
  const traces = Array.from({ length: seeds }, (_, seed) => randomLaunch(transitions, seed));
  const seen = new Set(traces.flat().map(({ written }) => written.command));

  expect([...seen].toSorted().join(' ')).toBe(
    'begin bind claimCleanUp clearSignal complete end markCleaned markConnected markLeft noteDeregistered notePodState ' +
      'noteRenewal noteSignal noteTimeline relaunch request retire standBy summon take',
  );
});

const mistakes = Object.entries(transitionMistakes).map(([name, edit]) => [name, ...edit] as const);

test.each(mistakes)('the trace checker refuses it when %s', async (...mistake) => {
  expect(firstRefused(await withMistake(...mistake), seeds)?.finding.rule).toEqual(expect.any(String));
});
