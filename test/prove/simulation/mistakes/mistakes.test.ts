import { readFile } from 'node:fs/promises';
import { brokenVariants } from '../../model/checks.ts';
import { applyMistake } from './apply-mistake.ts';
import { mistakes } from './mistakes.ts';

test.each(mistakes)('the mistake $name still fits its source', async (mistake) => {
  const text = await readFile(new URL(`../../../../${mistake.file}`, import.meta.url), 'utf8');

  expect(applyMistake(mistake, text)).not.toBe(text);
});

test('there are 20 mistakes with different names', () => {
  expect(new Set(mistakes.map(({ name }) => name)).size).toBe(20);
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
