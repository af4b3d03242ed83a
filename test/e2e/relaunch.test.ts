import type { Config, Profile } from '../../core/config/config.ts';
import { stoppedByDavit } from '../../core/launch/execution-ending.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import { evict } from '../prove/cluster/outcomes/take-pods.ts';
import { credentialInPod } from '../support/agent-credentials.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { type Job, newJob, registration } from './jobs.ts';
import { attemptOf, comes, entered } from './moments.ts';
import { type LaunchObserver, observeLaunches } from './observe-launches.ts';
import { type DavitAnywhere, startAnywhere } from './start-anywhere.ts';
import { untilRelaunched } from './until-relaunched.ts';

let davit: DavitAnywhere;
let seen: LaunchObserver;
beforeAll(async () => {
  davit = await startAnywhere({ changeConfig: withUnluckyProfiles });
  seen = observeLaunches(davit);
});
afterAll(async () => {
  seen[Symbol.dispose]();
  await davit[Symbol.asyncDispose]();
});

const unlucky: Record<string, Partial<Profile>> = {
  'second-try': { labels: ['second-try'] },
  'second-try-dial-out': { labels: ['second-try-dial-out'], expose: 'none' },
  'no-luck': { labels: ['no-luck'], maxRelaunches: 1 },
};

function withUnluckyProfiles(config: Config): Config {
  const added = withProfiles(config, {
    'second-try': { agent: untilRelaunched },
    'second-try-dial-out': { agent: untilRelaunched },
    'no-luck': { agent: idle },
  });
  return { ...added, profiles: added.profiles.map((profile) => ({ ...profile, ...unlucky[profile.name] })) };
}

/** Requests a job's launch and waits until its first Pod has an address and PublishToken begins. */
async function untilAwaited(label: string): Promise<Job> {
  const job = newJob([label]);
  const awaited = comes(davit, entered('PublishToken'));
  await davit.github.deliver(job, 'queued');
  await awaited;
  return job;
}

/** Asks for the token of a launch's first agent, with the credential in its Pod. */
async function connectAsFirst({ agentName }: Job): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${davit.runtime.url}/agents/${agentName}/connect`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentialInPod(davit, agentName)}` },
  });
  return { status: answer.status, body: await answer.json() };
}

const exposedWay = ['IsExposed', 'CreateService', 'PollNodePort', 'CreatePod', 'PollHostIP', 'PublishToken'];
const otherWay = exposedWay.filter((state) => state !== 'CreateService' && state !== 'PollNodePort');
const over = { type: 'https://davit.dev/problems/launch-over' };

const evicted = {
  take: (name: string) => evict(davit.api, name),
  code: 'PodEvicted',
  message: /pod davit-/,
} as const;
const deleted = {
  take: async (name: string) =>
    void (await davit.api.send(`/api/v1/namespaces/davit-agents/pods/${name}`, { method: 'DELETE' })),
  code: 'DeletedExternally',
  message: /the Pod is gone|is being deleted since/,
} as const;

describe('a launch whose Pod is drained or deleted before its agent connects', () => {
  test.each([
    { how: 'exposed, drained', label: 'second-try', way: exposedWay, ...evicted },
    { how: 'unexposed, drained', label: 'second-try-dial-out', way: otherWay, ...evicted },
    { how: 'exposed, deleted', label: 'second-try', way: exposedWay, ...deleted },
  ])(
    'comes up again under another name, works, and ends with its job ($how)',
    async ({ label, way, take, code, message }) => {
      const job = await untilAwaited(label);
      const second = agentNameOf(job.launchId, 2);

      await take(job.agentName);
      const { token } = await registration(davit, { agentName: second });
      const step = await davit.ci.run(token, { run: ['sh', '-c', 'echo "$DAVIT_AGENT_NAME built"'] });
      const late = await connectAsFirst(job);
      const shown = await davit.launches.show(job.launchId);
      const { status } = await untilExecutionEnds(davit.runtime, job.launchId);
      await davit.github.deliver(job, 'completed');
      const ended = await davit.launches.until(job.launchId, 'terminated', 'failed');

      expect(step).toEqual({ exitCode: 0, output: `${second} built\n` });
      expect(late).toMatchObject({ status: 410, body: over });
      expect(status).toBe('SUCCEEDED');
      expect(seen.states(job.launchId)).toEqual([...way, 'Relaunch', ...way]);
      for (const launch of [shown, ended]) {
        expect(launch).toMatchObject({
          agentName: second,
          plan: { generation: 2 },
          generations: [{ agentName: job.agentName, code, message: expect.stringMatching(message) }],
        });
      }
      expect([shown.status, ended.status]).toEqual(['connected', 'terminated']);
      expect(await davit.history.left()).toEqual([]);
    },
  );
});

test('a launch that loses more Pods than maxRelaunches fails with the last loss, and leaves nothing', async () => {
  const job = await untilAwaited('no-luck');
  const awaitedAgain = comes(davit, entered('PublishToken'));
  await evict(davit.api, job.agentName);
  await awaitedAgain;

  await evict(davit.api, agentNameOf(job.launchId, 2));
  const { ending, ...shown } = await davit.launches.until(job.launchId, 'failed', 'terminated');
  const execution = await untilExecutionEnds(davit.runtime, job.launchId);

  expect(ending).toMatchObject({ code: 'PodEvicted', outcome: 'failed' });
  expect(ending?.message).toMatch(
    /^PodEvicted: not launched again: it was launched 2 times; at last: .*EvictionByEvictionAPI/,
  );
  expect(ending?.message).toContain(`pod ${job.agentName}-r2`);
  expect(shown).toMatchObject({ status: 'failed', generations: [{ agentName: job.agentName, code: 'PodEvicted' }] });
  expect(execution).toMatchObject({ status: 'FAILED', error: 'PodEvicted' });
  expect(seen.created(job.launchId).toSorted()).toEqual(['Pod', 'Pod', 'Service', 'Service']);
  expect(await davit.history.left()).toEqual([]);
});

describe('a launch that ends during a relaunch leaves nothing', () => {
  test('as its relaunch begins', async () => {
    const job = await untilAwaited('no-luck');
    const itsTime = comes(davit, attemptOf('Relaunch'));
    await evict(davit.api, job.agentName);
    await itsTime;

    await davit.github.deliver(job, 'completed');
    const { status, ending } = await davit.launches.until(job.launchId, 'terminated', 'failed');
    await davit.history.untilNothingIsLeft();

    expect({ status, code: ending?.code }).toEqual({ status: 'terminated', code: 'Terminated' });
    expect(await connectAsFirst(job)).toMatchObject({ status: 410, body: over });
    // davit stops it, unless Relaunch has seen before that its launch is over.
    const execution = await davit.runtime.ports.executions.status(job.launchId);
    expect([`ABORTED ${stoppedByDavit}`, 'FAILED PodEvicted']).toContain(`${execution?.status} ${execution?.error}`);
  });

  test('and nothing appears later', async () => {
    expect(await davit.history.left()).toEqual([]);
  });
});
