import type { BoundJob } from '../../../../core/launch/launch-record.ts';
import { bindJob } from '../../../../logic/lifecycle/bind-job.ts';
import { recordOf } from '../../../contract/launch-fixtures.ts';
import { failTest } from '../../../support/fail-test.ts';
import { makeLaunchDeps, testInstallationId } from '../../../support/make-launch-deps.ts';
import { seenJob } from '../../../support/seen-job.ts';

const runner = { id: 7, name: `davit-${testInstallationId}-gitea-7-8-1` };
const job = { ...seenJob({ runner }), launches: 0, expiresAtEpochSeconds: 1 };
const nowEpochMs = 1_780_308_000_000;

/** Binds a job, and reads what is written for it. */
async function boundOf(given: Partial<typeof job>): Promise<BoundJob | undefined> {
  let bound: BoundJob | undefined;
  const registrations = {
    bind: async (_launchId: string, _runner: unknown, to: BoundJob) => {
      bound = to;
      return undefined;
    },
  };
  await bindJob({ ...makeLaunchDeps({ nowEpochMs: () => nowEpochMs }), registrations }, { ...job, ...given });
  return bound;
}

const { jobKey, job: summary } = {
  jobKey: 'gitea/7/8/1',
  job: { name: 'build', repository: 'acme/app', attempt: 1, queuedAtEpochMs: job.queuedAtEpochMs },
};

test.each([
  { given: { status: 'in_progress', conclusion: 'success' }, bound: {} },
  { given: { status: 'in_progress', url: 'https://ci.example/8' }, bound: { url: 'https://ci.example/8' } },
  { given: { status: 'completed' }, bound: { end: { atEpochMs: nowEpochMs } } },
  {
    given: { status: 'completed', conclusion: 'failure', completedAtEpochMs: 12 },
    bound: { end: { conclusion: 'failure', atEpochMs: 12 } },
  },
] as const)('a job that is $given is bound with $bound and nothing else', async ({ given, bound }) => {
  expect(await boundOf(given)).toStrictEqual({ jobKey, job: summary, ...bound });
});

test('a job is bound to no launch whose record does not say that its agent runs it', async () => {
  const deps = makeLaunchDeps();
  const registrations = { bind: async () => recordOf('gitea-7-8-1') };
  deps.jobs.noteRanBy = async () => failTest('another agent runs it');

  expect(await bindJob({ ...deps, registrations }, job)).toBeUndefined();
});
