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
