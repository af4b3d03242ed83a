import { setImmediate } from 'node:timers/promises';
import { CiSystemConfig } from '../../../../core/ci/ci-system-config.ts';
import { TransientError } from '../../../../core/errors/errors.ts';
import type { JobStatus, SeenJob } from '../../../../core/job/job-record.ts';
import { answerCompleted, answerQueued } from '../../../../functions/webhook/answer-job.ts';
import { handleLimited } from '../../../../logic/jobs/handle-limited.ts';
import type { HttpAnswer } from '../../../../runtime/http/answer.ts';
import { seededRandom } from '../../../../sandbox/seeded-random.ts';
import { agentOf, recordOf as launchOf, tombstoneOf } from '../../../contract/launch-fixtures.ts';
import { beforeCalls, refuseCalls } from '../../../support/around-calls.ts';
import { failTest } from '../../../support/fail-test.ts';
import { makeLaunchDeps, type TestLaunchDeps } from '../../../support/make-launch-deps.ts';
import { makeProfile } from '../../../support/make-profile.ts';
import { readAnswer } from '../../../support/read-answer.ts';
import { jobIdOf, queuedAtEpochMs, seenJob } from '../../../support/seen-job.ts';

const github = CiSystemConfig.parse({ name: 'github', provider: 'github', webhookSecret: 'webhook-secret' });
let nowEpochMs: number;
let deps: TestLaunchDeps;

beforeEach(() => {
  nowEpochMs = queuedAtEpochMs + 1000;
  limited();
});

/** A davit in which two agents may work at once. */
function limited(given: Partial<TestLaunchDeps> = {}): void {
  deps = makeLaunchDeps({
    profiles: [makeProfile({ labels: ['linux'], maxAgents: 2 })],
    ciSystems: [github],
    nowEpochMs: () => nowEpochMs,
    ...given,
  });
}

function eventOf(status: JobStatus, jobId: number | string): SeenJob {
  return seenJob({ ciSystem: 'github', status, jobId });
}

const queue = async (id: number | string) => readAnswer(await answerQueued(deps, github, eventOf('queued', id)));
const complete = (id: number | string): Promise<HttpAnswer> => answerCompleted(deps, github, eventOf('completed', id));
const recordOf = (jobId: number | string) => deps.jobs.get(jobIdOf(seenJob({ ciSystem: 'github', jobId })));

describe('a queued job under a limit', () => {
  test.each([1, 'folder/job 12'])('that comes after its `completed` needs nothing: %s', async (id) => {
    await complete(id);

    expect(await queue(id)).toMatchObject({ status: 200, body: { reason: 'the job is completed already' } });
    expect(deps.executions.started.size).toBe(0);
  });

  test('waits for its turn even if davit dies before it knows whether there is room', async () => {
    deps.slots.get = async () => Promise.reject(new TransientError('StoreUnavailable', 'throttled'));

    await expect(queue(1)).rejects.toThrow('throttled');

    expect(await recordOf(1)).toMatchObject({
      limitedBy: 'profile/linux',
      notLaunched: 'its turn has not come yet',
    });
  });

  test('is started again by its redelivery if davit died before it could start', async () => {
    const restore = refuseCalls(deps.executions, 'start', new TransientError('StoreUnavailable', 'throttled'));
    await expect(queue(1)).rejects.toThrow('throttled');
    restore();
    await deps.jobs.claimLaunch(seenJob({ ciSystem: 'github', jobId: 1 }), 0, 'github-7-1-1', nowEpochMs);

    const answer = await queue(1);

    expect(answer).toMatchObject({ status: 200, body: { launchId: 'github-7-1-1', duplicate: true } });
    expect([...deps.executions.started.keys()]).toEqual(['github-7-1-1']);
  });

  test('whose launch was over before it began is answered with its end', async () => {
    const seen = seenJob({ ciSystem: 'github', jobId: 1 });
    await deps.jobs.note(seen, nowEpochMs);
    await deps.jobs.claimLaunch(seen, 0, 'github-7-1-1', nowEpochMs);
    await deps.launches.request(tombstoneOf('github-7-1-1'));

    expect(await queue(1)).toMatchObject({ status: 200, body: { duplicate: true, status: 'terminated' } });
    expect(deps.executions.started.size).toBe(0);
  });

  test('lists no other waiting job while there is no room', async () => {
    await queue(1);
    await queue(2);
    deps.jobs.listLimited = async () => failTest('there is no room');

    expect(await queue(3)).toMatchObject({ status: 200, body: { ignored: true } });
    expect(await recordOf(3)).toMatchObject({
      limitedBy: 'profile/linux',
      notLaunched: '2 of 2 agents of profile linux',
    });
  });

  test('admits those before it for two seconds, and waits itself if that is not enough', async () => {
    limited({ profiles: [makeProfile({ labels: ['linux'], maxAgents: 3 })] });
    for (const jobId of [1, 2, 3]) {
      const seen = seenJob({ ciSystem: 'github', jobId, queuedAtEpochMs: queuedAtEpochMs - 1000 + jobId });
      await deps.jobs.note(seen, nowEpochMs);
      await deps.jobs.noteLimited(seen, 0, 'profile/linux', 'full');
    }
    beforeCalls(deps.launches, 'request', () => (nowEpochMs += 1000));

    const answer = await queue(4);

    expect([...deps.executions.started.keys()]).toEqual(['github-7-1-1', 'github-7-2-1']);
    expect(answer).toMatchObject({
      status: 200,
      body: { reason: 'the job waits for its turn: the next of 3 agents of profile linux' },
    });
  });

  test('leaves those before it to their own events while there is room for all', async () => {
    await deps.jobs.note(seenJob({ ciSystem: 'github', jobId: 1 }), nowEpochMs);
    await deps.jobs.noteLimited(jobIdOf(seenJob({ ciSystem: 'github', jobId: 1 })), 0, 'profile/linux', 'full');

    await queue(2);

    expect([...deps.executions.started.keys()]).toEqual(['github-7-2-1']);
  });

  test.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'of a burst gets a free slot at once: seed %i',
    async (seed) => {
      limited({ profiles: [makeProfile({ labels: ['linux'], maxAgents: 5 })] });
      const random = seededRandom(seed);
      deps.slots = interleaved(deps.slots, random);
      deps.jobs = interleaved(deps.jobs, random);

      await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(queue));

      expect(deps.executions.started.size).toBe(5);
      expect((await deps.slots.get('profile/linux')).size).toBe(5);
    },
  );
});

/** Makes each call take some turns of the event loop, few or many, before and after its effect. */
function interleaved<Port extends object>(port: Port, random: () => number): Port {
  const turns = async () => {
    for (let left = Math.floor(random() * random() * 40); left > 0; left -= 1) await setImmediate();
  };
  return new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]) => {
        await turns();
        const answer: unknown = await method.apply(target, given);
        await turns();
        return answer;
      };
    },
  });
}

test.each([
  { what: 'was cancelled in the queue', runner: undefined, connected: false },
  { what: 'ran on its agent', runner: { id: 5, name: 'davit-github-7-1-1-x1' }, connected: true },
])('a completed job ends the replacement of its launch, if it $what', async ({ runner, connected }) => {
  const launchId = 'github-7-1-1-x1';
  const job = await deps.jobs.note(seenJob({ ciSystem: 'github', jobId: 1 }), nowEpochMs);
  await deps.jobs.claimLaunch(job, 0, 'github-7-1-1', nowEpochMs);
  await deps.jobs.claimLaunch(job, 1, launchId, nowEpochMs);
  await deps.launches.request(launchOf(launchId));
  if (connected) await deps.launches.markConnected(agentOf(launchId), nowEpochMs);

  const event = { ...eventOf('completed', 1), ...(runner === undefined ? {} : { runner }) };
  await answerCompleted(deps, github, event);

  expect(await deps.launches.get(launchId)).toMatchObject({ status: 'cleaning' });
});

test('a queued job that no limit counts and no profile takes any more waits', async () => {
  limited({ profiles: [] });
  const record = await deps.jobs.note(seenJob({ ciSystem: 'github' }), nowEpochMs);

  const outcome = await handleLimited(deps, record, []);

  expect(outcome).toEqual({ ignored: 'the job waits for its turn: another one came first' });
  expect(await recordOf(record.jobId)).toMatchObject({ limitedBy: '', notLaunched: 'its turn has not come yet' });
});

test('a completed job under no limit leaves no record', async () => {
  limited({ profiles: [makeProfile({ labels: ['linux'] })] });

  await complete(1);

  expect(await recordOf(1)).toBeUndefined();
});
