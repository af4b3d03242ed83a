import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import { JobRefused } from '../../../../core/events/job-events.ts';
import type { SeenJob } from '../../../../core/job/job-record.ts';
import { answerCompleted, answerQueued, answerRegisteredJob } from '../../../../functions/webhook/answer-job.ts';
import { worldsGitea as gitea } from '../../../support/ci-world.ts';
import { makeLaunchDeps, type TestLaunchDeps } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { readAnswer } from '../../../support/read-answer.ts';
import { queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const standard = CiSystemConfig.parse({ name: 'own', provider: 'standard', webhookSecret: 'webhook-secret' });
const at = new Date(queuedAtEpochMs + 1000).toISOString();
let deps: TestLaunchDeps;

beforeEach(() => {
  const only = { repositories: ['acme/*'], sizes: { cpu: { max: '8' } } };
  const registered = makeProfile({ name: 'linux', labels: ['linux'], runner: 'gitea', ...only });
  const other = makeProfile({ name: 'mac', labels: ['mac'], ...only });
  deps = makeLaunchDeps({ profiles: [registered, other], nowEpochMs: () => queuedAtEpochMs + 1000 });
});

function told(): JobRefused[] {
  return deps.invokeLater.events['publish-events'].map(({ refused }) => refused);
}

function eventOf(labels: readonly string[], owner = 'acme', jobId: string | number = 8): SeenJob {
  const repository = { owner, name: 'app' };
  return seenJob({ jobId, repository, labels: [...labels], ...job });
}

/** Delivers an event of a system in which davit acts, and of one in which it does not. */
const systems = [
  { system: 'gitea', deliver: (event: SeenJob) => answerRegisteredJob(deps, gitea, event) },
  { system: 'own', deliver: (event: SeenJob) => answerQueued(deps, standard, { ...event, ciSystem: 'own' }) },
];
const job = { name: 'build', workflow: 'ci', runId: 5, attempt: 2, url: 'https://ci.example/jobs/8' };

describe.each(systems)('a queued job of $system', ({ system, deliver }) => {
  test('with a size above the maximum is told as refused, with the label at fault', async () => {
    const answer = readAnswer(await deliver(eventOf(['mac', 'davit/cpu=16'])));

    const reason = 'profile mac takes no davit/cpu=16: expected one of 500m, 1, 2, 4, 8';
    const key = `${system}/7/8/2`;
    expect(answer).toMatchObject({ status: 200, body: { ignored: true, reason } });
    expect(told()).toEqual([
      {
        id: `${key}/JobRefused/Size`,
        ciSystem: system,
        job: { key, repository: 'acme/app', ...job },
        refusal: 'Size',
        reason,
        profile: 'mac',
        label: 'davit/cpu=16',
        at,
      },
    ]);
  });

  test('of a repository that its profile does not take is told as refused', async () => {
    const answer = readAnswer(await deliver(eventOf(['mac'], 'umbrella')));

    const reason = 'profile mac takes no jobs of umbrella/app';
    expect(answer).toMatchObject({ status: 200, body: { ignored: true, reason } });
    expect(told()).toMatchObject([
      { refusal: 'Repository', reason, profile: 'mac', job: { repository: 'umbrella/app' } },
    ]);
    expect(told().map((refused) => JobRefused.parse(refused))).toEqual(told());
  });

  test('whose labels no profile has is not told', async () => {
    const answer = readAnswer(await deliver(eventOf(['windows'])));

    expect(answer).toMatchObject({ status: 200, body: { ignored: true } });
    expect(told()).toEqual([]);
  });

  test('is told again by its redelivery, under the same id, if the first could not be told', async () => {
    deps.invokeLater.failure = new TransientError('StoreUnavailable', 'Lambda did not answer');
    await expect(deliver(eventOf(['mac'], 'umbrella'))).rejects.toThrow('Lambda did not answer');
    deps.invokeLater.failure = undefined;

    await deliver(eventOf(['mac'], 'umbrella'));
    await deliver(eventOf(['mac'], 'umbrella'));

    const [id, ...repeats] = told().map((refused) => refused.id);
    expect(id).toBe(`${system}/7/8/2/JobRefused/Repository`);
    expect(new Set(repeats)).toEqual(new Set([id]));
  });
});

describe('a job that no profile takes, of a CI system in which davit does not act,', () => {
  const id = { ciSystem: 'own', repositoryId: 7, jobId: 8, attempt: 2 };

  test('waits in the queue until it is over', async () => {
    const event = { ...eventOf(['windows']), ciSystem: 'own' };
    await answerQueued(deps, standard, event);
    const waiting = await deps.jobs.listWaiting('own');
    await answerCompleted(deps, standard, { ...event, status: 'completed' });

    expect(waiting.map(({ jobKey }) => jobKey)).toEqual(['own/7/8/2']);
    expect(await deps.jobs.listWaiting('own')).toEqual([]);
  });

  test('is not noted when davit hears of it only at its end', async () => {
    await answerCompleted(deps, standard, { ...eventOf(['windows']), ciSystem: 'own', status: 'completed' });

    expect(await deps.jobs.get(id)).toBeUndefined();
  });
});
