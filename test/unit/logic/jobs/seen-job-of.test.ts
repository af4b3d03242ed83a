import type { JobEvent } from '../../../../core/job/job-event.ts';
import { seenJobOf } from '../../../../logic/jobs/seen-job-of.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const startedAtEpochMs = queuedAtEpochMs + 4000;

function eventOf(action: JobEvent['action'], attempt: number): JobEvent {
  return {
    action,
    repository: { id: 7, owner: 'acme', name: 'app' },
    organization: 'acme',
    job: { id: 8, attempt, name: 'build', labels: ['linux'], createdAtEpochMs: queuedAtEpochMs, startedAtEpochMs },
  };
}

test.each([
  { provider: 'github', action: 'queued', attempt: 1, times: { queuedAtEpochMs } },
  { provider: 'github', action: 'queued', attempt: 2, times: { queuedAtEpochMs } },
  { provider: 'gitea', action: 'waiting', attempt: 1, times: { queuedAtEpochMs } },
  { provider: 'gitea', action: 'queued', attempt: 2, times: {} },
  { provider: 'gitea', action: 'in_progress', attempt: 1, times: { queuedAtEpochMs, startedAtEpochMs } },
  { provider: 'gitea', action: 'completed', attempt: 2, times: { startedAtEpochMs } },
] as const)("$provider's $action event of attempt $attempt says $times", ({ provider, action, attempt, times }) => {
  const { queuedAtEpochMs: _queuedAtEpochMs, ...job } = seenJob({ attempt, status: action });

  const seen = seenJobOf({ name: 'gitea', provider }, eventOf(action, attempt));

  expect(seen).toStrictEqual({ ...job, ...times });
});
