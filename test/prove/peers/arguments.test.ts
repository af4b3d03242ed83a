import { readPeersArguments } from './arguments.ts';
import { faultNames } from './faults.ts';

test('runs at least 1,000 jobs a system by default, of all faults', () => {
  const args = readPeersArguments([]);

  expect(args).toEqual({
    jobs: 84,
    'at-once': 6,
    patience: 600,
    record: false,
    only: faultNames,
    system: ['davit', 'Buildbot'],
  });
  expect(84 * faultNames.length).toBeGreaterThanOrEqual(1000);
});

test('reads every argument', () => {
  const sizes = ['--jobs', '12', '--at-once', '4', '--patience', '60'];
  const which = ['--only', 'none', '--only', 'api-frozen', '--system', 'Buildbot'];

  expect(readPeersArguments([...sizes, ...which, '--record'])).toEqual({
    jobs: 12,
    'at-once': 4,
    patience: 60,
    record: true,
    only: ['none', 'api-frozen'],
    system: ['Buildbot'],
  });
});

test.each([
  ['jobs', '0'],
  ['at-once', '21'],
  ['patience', 'long'],
  ['only', 'meteor'],
  ['system', 'ARC'],
])('refuses --%s=%s, and names it', (name, value) => {
  expect(() => readPeersArguments([`--${name}=${value}`])).toThrow(new RegExp(`^--${name}: `));
});

test('gives the help before anything else is looked at', () => {
  expect(readPeersArguments(['--jobs', '0', '--help'])).toBe('help');
});
