import type { LaunchReport } from '../../../../local/demo/run-launch.ts';
import { type ClusterCount, type RunnerCount, showSummary } from '../../../../local/demo/summary.ts';

const registration: LaunchReport['registration'] = {
  agentName: 'davit-x',
  pendingAnswers: 2,
  jobKey: 'key',
  token: {
    agentName: 'davit-x',
    launchId: 'x',
    host: '127.0.0.1',
    port: 30_001,
    tls: false,
    publishedAt: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T03:00:00.000Z',
  },
};
const worked: LaunchReport = { launchId: 'x', registration, readyMs: 1500 };
const clean: ClusterCount = { servicesCreated: 1, podsCreated: 1, left: [] };
const gone: RunnerCount = { registered: 1, left: [] };

/** The lines of a summary, and whether the demo succeeded. */
function summaryOf(
  reports: LaunchReport[],
  cluster = clean,
  kept = false,
  runners = gone,
): { went: boolean; lines: string[] } {
  const lines: string[] = [];
  const screen = { line: () => {}, heading: (text: string) => void lines.push(text), secondsSinceStart: () => '0.00' };
  return { went: showSummary(screen, reports, cluster, runners, kept), lines };
}

test('shows the answers that the agent of a successful launch saw', () => {
  expect(summaryOf([worked])).toEqual({
    went: true,
    lines: [
      '\nSummary',
      '  launches     1, 1 as expected',
      '  created      1 Service, 1 Pod, 1 runner',
      '  agents saw   2 × 503, 1 × 200',
      '  ready after  1.50 s (median, webhook to connected agent)',
      '  left         nothing',
    ],
  });
});

test('names an unsuccessful launch by its id, and the demo fails', () => {
  const { went, lines } = summaryOf([worked, { launchId: 'y', problem: 'it ended as failed' }]);

  expect(went).toBe(false);
  expect(lines).toContain('  launches     2, 1 as expected');
  expect(lines.at(-1)).toBe('  ✗ y: it ended as failed');
});

test('remaining objects fail the demo, unless they should be kept', () => {
  const left = { ...clean, left: ['Pod davit-x'] };

  expect(summaryOf([worked], left).went).toBe(false);
  expect(summaryOf([worked], left).lines).toContain('  left         Pod davit-x');
  expect(summaryOf([worked], left, true).went).toBe(true);
});

test('a remaining runner fails the demo', () => {
  const { went, lines } = summaryOf([worked], clean, false, { registered: 1, left: ['davit-1'] });

  expect(went).toBe(false);
  expect(lines).toContain('  left         runner davit-1');
});
