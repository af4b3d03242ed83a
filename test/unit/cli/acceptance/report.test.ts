import { quantile, reportText } from '../../../../cli/acceptance/report.ts';
import { runScenarios } from '../../../../cli/acceptance/run-scenarios.ts';
import type { ScenarioResult } from '../../../../cli/acceptance/scenario.ts';
import { allScenarios } from '../../../../cli/acceptance/scenarios/all-scenarios.ts';
import { TerminalError } from '../../../../core/errors/errors.ts';
import { type FakeAcceptanceOptions, fakeAcceptance } from '../../../support/fake-acceptance.ts';

const versions = { davit: '0.1.0', ci: 'Gitea 1.26.0', kubernetes: 'v1.34.4', node: '24.21.0' };
const trace = { verdict: 'held', why: [], writes: 1200 } as const;

async function reportOf(options: FakeAcceptanceOptions = {}): Promise<string> {
  const results: ScenarioResult[] = [];
  for await (const result of runScenarios(fakeAcceptance(options).acceptance, allScenarios)) results.push(result);
  const timeless = results.map((result) => ({ ...result, tookMs: 5000 }));
  return reportText({ versions, day: '2026-06-01', results: timeless, trace });
}

test('a report has versions, figures and verdicts', async () => {
  const report = await reportOf();

  expect(report).toContain('| Kubernetes | v1.34.4 |');
  expect(report).toContain('| burst | held | 20 | 20 | 0 | 2 s | 2 s | 5 s |');
  expect(report).toContain('| pod-deleted | not-run |  |  |  |  |  |  |');
  expect(report).toContain('\n- `pod-deleted`, not-run: --kubeconfig and --namespace\n');
  expect(report).toContain('| trace | held |');
});

test('a report has no name, URL or label, whatever goes wrong', async () => {
  const wrongs: FakeAcceptanceOptions[] = [
    {},
    { changeLaunches: (launches) => launches.map((launch) => ({ ...launch, launchId: 'secret-ci-7-1-1' })) },
    { changeLaunches: (launches) => launches.map((launch) => ({ ...launch, status: 'connected' })) },
    { runnerNames: () => ['davit-a1b2-secret-ci-7-2-1'] },
    { lie: (attempt) => ({ ...attempt, startedAtEpochMs: Math.random() * 1e12, runnerId: 5 }) },
    {
      onCall: (call) => {
        if (call.startsWith('start')) throw new TerminalError('CiRefused', 'https://ci.example.com/secret-owner: 403');
      },
    },
  ];

  const reports = await Promise.all(wrongs.map((wrong) => reportOf({ timeoutMs: 500, ...wrong })));

  expect(reports.filter((report) => report.includes('not-held'))).toHaveLength(wrongs.length - 1);
  for (const report of reports) expect(report).not.toMatch(/secret|https?:|example|davit-/);
});

test('a report says what is not known of the cluster, and what the trace does not hold', () => {
  const report = reportText({
    versions: { ...versions, kubernetes: undefined },
    day: '2026-06-01',
    results: [],
    trace: { verdict: 'not-held', why: ['not so 2 times: a job starts once'], writes: 3 },
  });

  expect(report).toContain('| Kubernetes | not known |');
  expect(report).toContain('- `trace`, not-held: not so 2 times: a job starts once');
});

test.each([
  [[], 0.5, undefined],
  [[7], 0.99, 7],
  [[4, 1, 3, 2], 0.5, 2],
  [[4, 1, 3, 2], 0.99, 4],
  [Array.from({ length: 200 }, (_, index) => index + 1), 0.99, 198],
])('of %j the quantile %d is %j', (values, share, expected) => {
  expect(quantile(values, share)).toBe(expected);
});
