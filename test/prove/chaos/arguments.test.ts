import { readChaosArguments } from './arguments.ts';

test('has defaults for everything but the seed', () => {
  expect(readChaosArguments([])).toEqual({ launches: 200, concurrency: 20, clusters: 1, proof: false });
});

test('reads every argument', () => {
  const args = ['--launches', '1000', '--concurrency', '8', '--clusters', '2', '--seed', '0', '--proof'];

  expect(readChaosArguments(args)).toEqual({ launches: 1000, concurrency: 8, clusters: 2, seed: 0, proof: true });
});

test.each([
  ['launches', '0'],
  ['launches', 'many'],
  ['concurrency', '201'],
  ['clusters', '3'],
  ['seed', '-1'],
  ['seed', '1.5'],
])('refuses --%s=%s, and names it', (name, value) => {
  expect(() => readChaosArguments([`--${name}=${value}`])).toThrow(new RegExp(`^--${name}: `));
});

test('gives the help before anything else is looked at', () => {
  expect(readChaosArguments(['--launches', '0', '--help'])).toBe('help');
});
