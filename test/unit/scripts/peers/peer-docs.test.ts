import { type PeerCell, withCells } from '../../../../scripts/peers/peer-cells.ts';
import { behindIn, cellsTable, missingText, peerDocs, timesTable } from '../../../../scripts/peers/peer-docs.ts';

const quantiles = { p50: 1000, p99: 20_000 };
const davit: PeerCell = {
  fault: 'none',
  system: 'davit',
  takenAt: '2026-11-27T12:00:00.000Z',
  versions: 'davit abc',
  jobs: 10,
  atOnce: 5,
  completed: 9,
  lost: 1,
  stuck: 0,
  runTwice: 0,
  begunAgain: 2,
  podsLeft: 3,
  took: {
    requestToPod: quantiles,
    podToRunning: quantiles,
    runningToConnected: quantiles,
    requestToConnected: quantiles,
  },
  cpuSeconds: 5,
  peakMebibytes: 190,
  load: 8,
  processors: 2,
  tookSeconds: 30,
};
const { took: _took, ...buildbot } = {
  ...davit,
  system: 'Buildbot',
  lost: 0,
  peakMebibytes: 100,
  cpuSeconds: 6,
} as const;

test('lists the figures in which davit is behind, and no other', () => {
  expect(behindIn([davit, buildbot])).toEqual([
    { fault: 'none', figure: 'jobs lost', davit: 1, buildbot: 0 },
    { fault: 'none', figure: 'peak memory of the controller, MiB', davit: 190, buildbot: 100 },
  ]);
});

test('compares no fault that only one system has had', () => {
  expect(behindIn([davit, { ...buildbot, fault: 'api-frozen' }])).toEqual([]);
});

test('writes the counts, and the times in seconds', () => {
  expect(cellsTable([davit]).split('\n').at(-1)).toBe('| `none` | davit | 10 | 9 | 1 | 0 | 0 | 2 | 3 |');
  expect(timesTable([davit, buildbot]).split('\n').slice(2)).toEqual([
    `| \`none\` | davit | ${Array.from({ length: 4 }, () => '1.00 / 20.0').join(' | ')} | 5.0 | 190 | 8.0 |`,
    '| `none` | Buildbot |  |  |  |  | 6.0 | 100 | 8.0 |',
  ]);
});

test('says when, with how many jobs and under which load the figures were taken', () => {
  expect(peerDocs([{ ...davit, load: 27.3 }, buildbot])).toMatch(
    /Taken 2026-11-27, 10 jobs a system, at most 5 requested at once, on 2 processors[^]*was 8 to\n27/,
  );
});

test('replaces the result of the same fault and system, and keeps the others', () => {
  const other = { ...buildbot, fault: 'api-frozen' } as const;
  const newer = { ...davit, jobs: 20 };

  expect(withCells([davit, other], [newer, buildbot])).toEqual([newer, other, buildbot]);
});

test('names each fault without figures, by its system', () => {
  expect(missingText([davit])).toMatch(/^No figures yet: `none` on Buildbot, `kill-coming-up` on davit, /);
});
