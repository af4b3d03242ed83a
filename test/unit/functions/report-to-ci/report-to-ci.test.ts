import { TerminalError, TransientError } from '../../../../core/errors/errors.ts';
import { reportToCi } from '../../../../functions/report-to-ci/report-to-ci.ts';
import { openStore } from '../../../../local/store/open-store.ts';
import { sqliteToldJobs } from '../../../../local/store/sqlite-ci-memory.ts';
import type { ToldJobs } from '../../../../ports/told-jobs.ts';
import { commitReport } from '../../../support/commit-report.ts';
import { FakeCi } from '../../../support/fake-ci.ts';
import { testNowEpochMs, testPace } from '../../../support/make-launch-deps.ts';

const success = commitReport({
  state: 'success',
  description: 'an agent runs the job',
  atEpochMs: commitReport().atEpochMs + 60_000,
});
let ci: FakeCi;
let told: ToldJobs;
let deps: Parameters<typeof reportToCi>[0];

beforeEach(() => {
  ci = new FakeCi();
  told = sqliteToldJobs(openStore(':memory:'));
  deps = { ciSystemOf: () => ci, pace: testPace([], () => testNowEpochMs), told };
});

test('writes the requested report on the commit, and remembers it', async () => {
  const output = await reportToCi(deps, commitReport({ targetUrl: 'https://ci.example/8' }));

  expect(output).toEqual({ outcome: 'told' });
  expect([...ci.statuses.values()]).toEqual([
    {
      sha: 'c0ffee',
      state: 'pending',
      context: 'davit / ci / build',
      description: 'its agent is being launched',
      targetUrl: 'https://ci.example/8',
    },
  ]);
  expect((await told.listPending('gitea')).size).toBe(1);
});

test('an earlier report does not replace a later one on the commit', async () => {
  await reportToCi(deps, success);

  const output = await reportToCi(deps, commitReport());

  expect(output).toEqual({ outcome: 'overtaken' });
  expect([...ci.statuses.values()]).toMatchObject([{ state: 'success' }]);
  expect(await told.listPending('gitea')).toEqual(new Map());
});

test('a refusal of the CI system is returned, and the same report is not repeated', async () => {
  ci.refuse = new TerminalError('CiRefused', 'gitea: POST /statuses: 403');

  const output = await reportToCi(deps, commitReport());

  expect(output).toEqual({ outcome: 'refused', detail: 'gitea: POST /statuses: 403' });
  expect((await told.listPending('gitea')).get('gitea/7/8/1')).toEqual(commitReport());
});

test('a CI system that does not answer is asked again: nothing is stored', async () => {
  ci.isDown = true;

  await expect(reportToCi(deps, commitReport())).rejects.toBeInstanceOf(TransientError);

  expect(await told.listPending('gitea')).toEqual(new Map());
});

test('a report leaves the minute to registrations: it is written later', async () => {
  const pace = testPace([{ name: 'gitea', provider: 'github' }], () => testNowEpochMs);
  for (let count = 0; count < 5; count += 1) await pace.take('gitea', 'registration', { writes: 1 });

  const early = reportToCi({ ...deps, pace }, commitReport());

  await expect(early).rejects.toThrow(TransientError);
  expect(ci.statuses.size).toBe(0);
});
