import { type PeerCell, rowOf } from './cells.ts';

const quantiles = { p50: 1000, p99: 20_000 };
const cell: PeerCell = {
  fault: 'none',
  system: 'davit',
  jobs: 10,
  completed: 9,
  lost: 1,
  stuck: 0,
  runTwice: 4,
  begunAgain: 2,
  podsLeft: 3,
  took: {
    requestToPod: { p50: 1, p99: 2 },
    podToRunning: { p50: 1, p99: 2 },
    runningToConnected: { p50: 1, p99: 2 },
    requestToConnected: quantiles,
  },
  cpuSeconds: 5,
  peakMebibytes: 190,
  load: 8,
  tookSeconds: 30,
};

test('a row has the counts, the time from the request in seconds, and what the controller used', () => {
  expect(rowOf(cell, ['today', 'c0ffee1']).join(' | ')).toBe(
    '`none`, davit | 10 | 9 | 1 | 0 | 4 | 2 | 3 | 1.00 / 20.0 | 5.0 | 190 | 8.0 | today | c0ffee1',
  );
});

test('a row of a fault in which no job began has no time', () => {
  const { took: _took, ...stuck } = cell;

  expect(rowOf(stuck, [])[8]).toBe('');
});
