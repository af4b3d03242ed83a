import { logReport } from '../../../../functions/sweep/log-report.ts';
import type { Finding, SweepReport } from '../../../../functions/sweep/sweep-report.ts';
import { deletedPod, nothingFound } from '../../../support/sweep-reports.ts';

const launch: Finding = { kind: 'Launch', launchId: 'other', reason: 'NeverStarted', outcome: 'started' };

function logOf(report: SweepReport) {
  const lines: [level: string, message: unknown, keys: unknown][] = [];
  logReport(
    {
      info: (message, ...[keys]) => void lines.push(['info', message, keys]),
      warn: (message, ...[keys]) => void lines.push(['warn', message, keys]),
    },
    report,
  );
  return lines;
}

test('a complete sweep logs one line with its sum', () => {
  const { findings: _findings, errors: _errors, ...sum } = nothingFound;

  expect(logOf(nothingFound)).toEqual([['info', 'Sweep: complete', { sum }]]);
});

test('each finding and each error has a line, and an incomplete sweep says what it left', () => {
  const lines = logOf({
    ...nothingFound,
    complete: false,
    findings: [deletedPod, launch],
    left: 2,
    errors: [{ subject: 'cluster two', message: 'no route' }],
  });

  expect(lines).toMatchObject([
    ['info', 'Sweep: Pod davit-job: LaunchOver, deleted', deletedPod],
    ['info', 'Sweep: launch other: NeverStarted, started', launch],
    ['warn', 'Sweep: cluster two: no route', undefined],
    ['warn', 'Sweep: not complete, 2 left, 1 errors', { sum: { left: 2 } }],
  ]);
});
