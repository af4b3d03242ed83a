import { expect, test } from '@jest/globals';
import type { LaunchReport } from '../../../../local/demo/run-launch.ts';
import { type ClusterCount, showSummary } from '../../../../local/demo/summary.ts';

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

/** What a summary shows, and whether all went as it should. */
function summaryOf(reports: LaunchReport[], cluster = clean, kept = false): { went: boolean; lines: string[] } {
  const lines: string[] = [];
  const screen = { line: () => {}, heading: (text: string) => void lines.push(text), secondsSinceStart: () => '0.00' };
  return { went: showSummary(screen, reports, cluster, kept), lines };
}

test('a launch that worked is told with what its agent saw', () => {
  expect(summaryOf([worked])).toEqual({
    went: true,
    lines: [
      '\nSummary',
      '  launches     1, of which 1 went as they should',
      '  created      1 Service, 1 Pod',
      '  agents saw   2 × 503, 1 × 200',
      '  ready after  1.50 s (median, webhook to connected agent)',
      '  left         nothing',
    ],
  });
});

test('a launch that did not is told by its id, and the demo has failed', () => {
  const { went, lines } = summaryOf([worked, { launchId: 'y', problem: 'it ended as failed' }]);

  expect(went).toBe(false);
  expect(lines).toContain('  launches     2, of which 1 went as they should');
  expect(lines.at(-1)).toBe('  ✗ y: it ended as failed');
});

test('something that is left fails the demo, unless it was to be kept', () => {
  const left = { ...clean, left: ['Pod davit-x'] };

  expect(summaryOf([worked], left).went).toBe(false);
  expect(summaryOf([worked], left).lines).toContain('  left         Pod davit-x');
  expect(summaryOf([worked], left, true).went).toBe(true);
});
