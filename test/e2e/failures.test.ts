import type { Config } from '../../core/config/config.ts';
import { type ErrorCode, errorCodes } from '../../core/errors/error-codes.ts';
import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import { type Moment, untilExecutionEnds, when } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

const namespace = 'davit-agents';

let davit: TestRuntime;
beforeAll(async () => {
  davit = await startTestRuntime({
    changeConfig: withFailingProfiles,
    sandbox: { node: { behaviour: { imagePullBackOff: { baseMs: 200, maxMs: 200 } } } },
  });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

function withFailingProfiles(config: Config): Config {
  const { profiles, ...rest } = withProfiles(config, {
    idle: { agent: idle },
    fragile: { agent: idle },
    unpullable: { agent: { image: 'registry.example.com/none:1' }, graces: { imagePullSeconds: 1 } },
    crashing: { agent: { command: ['sh', '-c', 'echo no disk >&2; exit 3'] } },
    silent: { agent: idle, deadlines: { connectSeconds: 6 } },
    unschedulable: { agent: idle, spec: { nodeSelector: { disk: 'none' } }, deadlines: { placementSeconds: 2 } },
  });
  // Fails at the first deletion instead of beginning again.
  const once = profiles.map((profile) => (profile.name === 'fragile' ? { ...profile, maxRelaunches: 0 } : profile));
  return { ...rest, profiles: once };
}

describe('a launch fails, says why and what to do, and leaves nothing', () => {
  test.each<[what: string, profile: string, code: ErrorCode, detail: RegExp, reached?: string]>([
    [
      'when its image cannot be pulled',
      'unpullable',
      'ImagePullFailed',
      /registry\.example\.com\/none:1.*not found.*grace is 1 s.*image registry\.example\.com\/none:1/,
      'started service port pod scheduled host token',
    ],
    [
      'when its agent crashes',
      'crashing',
      'ContainerTerminated',
      /container agent terminated with exit code 3: Error.*node sandbox-node, container agent/,
    ],
    [
      'when its agent never connects',
      'silent',
      'ConnectDeadlineExceeded',
      /PublishToken gave up after \d+ s of 6 s; at last: the agent has not connected; /,
      'started service port pod scheduled containers host token',
    ],
    [
      'when its Pod fits no node',
      'unschedulable',
      'PlacementDeadlineExceeded',
      /PollHostIP gave up after \d+ s of 2 s; at last: Unschedulable: 0\/1 nodes are available: 1 node\(s\) didn't match Pod's node affinity\/selector/,
      'started service port pod',
    ],
  ])('%s', async (_what, profile, code, detail, reached) => {
    const launchId = await davit.launches.request({ profile, jobId: profile });

    await expectFailure(launchId, code, detail);
    const { timeline = {} } = await davit.launches.show(launchId);
    if (reached !== undefined) {
      expect(Object.keys(timeline)).toEqual(reached.split(' ').map((moment) => `${moment}At`));
    }
  });
});

test("a launch leaves another owner's Pod of its name alone", async () => {
  const theirs = createTheirs('pod taken');

  const launchId = await davit.launches.request({ profile: 'idle', jobId: 'pod taken' });

  await expectFailure(launchId, 'NameCollision', /Pod davit-\S+ exists and is not this launch's: .*"whose":"theirs"/);
  const { metadata } = davit.cluster.sandbox.store.get('pods', namespace, theirs.metadata.name) ?? {};
  expect(metadata).toMatchObject({ uid: theirs.metadata.uid, labels: { whose: 'theirs' } });
  expect(metadata).not.toHaveProperty('deletionTimestamp');
});

const podDeleted = /the Pod is gone|Pod davit-\S+ is being deleted since/;

describe('a launch without relaunches fails with DeletedExternally, and leaves nothing, when others delete', () => {
  test.each<[what: string, moment: Moment, resource: 'services' | 'pods', detail: RegExp]>([
    ['its Service before its Pod is created', 'leaves PollNodePort', 'services', podDeleted],
    ['its Service as PublishToken begins', 'enters PublishToken', 'services', podDeleted],
  ])('%s', async (what, moment, resource, detail) => {
    const launchId = apiLaunchId(what);
    when(davit.runtime, launchId, moment, () =>
      davit.cluster.sandbox.store.delete(resource, namespace, agentNameOf(launchId), {
        propagationPolicy: 'Background',
      }),
    );

    await davit.launches.request({ profile: 'fragile', jobId: what });

    await expectFailure(launchId, 'DeletedExternally', detail);
  });
});

/** Waits for a launch to end, and checks everything that a person would look at. */
async function expectFailure(launchId: string, code: ErrorCode, detail: RegExp): Promise<void> {
  const { status, ending } = await davit.launches.until(launchId, 'failed', 'terminated');
  const execution = await untilExecutionEnds(davit.runtime, launchId);

  const { means, advice } = errorCodes[code];
  expect({ status, ...ending }).toMatchObject({ status: 'failed', outcome: 'failed', code, means, advice });
  expect(ending?.message).toMatch(detail);
  expect(ending?.message).toContain(`${code}: `);
  expect(ending?.message).toContain(launchId);
  expect(execution).toMatchObject({ status: 'FAILED', error: code, cause: ending?.message });
  expect(davit.history.left(launchId)).toEqual([]);
}

/** Creates another owner's Pod under the name of the job's agent. */
function createTheirs(jobId: string): KubeObject {
  const metadata = { name: agentNameOf(apiLaunchId(jobId)), namespace, labels: { whose: 'theirs' } };
  const spec = { containers: [{ name: 'theirs', image: 'davit.dev/idle' }] };
  return davit.cluster.sandbox.store.create('pods', { apiVersion: 'v1', kind: 'Pod', metadata, spec });
}
