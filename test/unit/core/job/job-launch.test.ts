import { launchRequestOf } from '../../../../core/job/job-launch.ts';
import { mergeJob } from '../../../../core/job/job-record.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const job = mergeJob(undefined, seenJob({ url: 'https://gitea.example/8' }), queuedAtEpochMs);
const summary = { name: 'build', repository: 'acme/app', attempt: 1, queuedAtEpochMs };
const requested = { launchId: 'gitea-7-8-1', sourceUrl: 'https://gitea.example/8', job: summary };

test('the request for a launch names the job only if its agent joins the CI system', () => {
  const join = {
    ciSystem: 'gitea',
    scope: { organization: 'acme' },
    labels: ['linux'],
    idleSeconds: 300,
    rerunWhenLost: false,
  };

  expect(launchRequestOf(job, 'gitea-7-8-1', { size: { cpu: '4' }, join })).toEqual({
    ...requested,
    size: { cpu: '4' },
    join,
    jobKey: 'gitea/7/8/1',
  });
  expect(launchRequestOf(job, 'gitea-7-8-1', { join: undefined })).toEqual(requested);
});
