import type { Config } from '../../core/config/config.ts';
import { type ErrorCode, errorCodes } from '../../core/errors/error-codes.ts';
import { agentNameOf, apiLaunchId } from '../../core/launch/names.ts';
import type { KubeObject } from '../../sandbox/cluster-store.ts';
import { untilExecutionEnds } from '../support/execution-events.ts';
import { idle, withProfiles } from '../support/profile-like.ts';
import { startTestRuntime, type TestRuntime } from '../support/start-test-runtime.ts';

const namespace = 'davit-agents';

// test/unit/core/pod/taxonomy.test.ts has a row for each thing that a cluster may say of a launch.

let davit: TestRuntime;
beforeAll(async () => {
  davit = await startTestRuntime({ changeConfig: withFailingProfiles });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

function withFailingProfiles(config: Config): Config {
  return withProfiles(config, {
    idle: { agent: idle },
    silent: { agent: idle, deadlines: { connectSeconds: 6 } },
    unschedulable: { agent: idle, spec: { nodeSelector: { disk: 'none' } }, deadlines: { placementSeconds: 2 } },
  });
}

describe('a launch fails, says why and what to do, and leaves nothing', () => {
  test.each<[what: string, profile: string, code: ErrorCode, detail: RegExp, reached: string]>([
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
    expect(Object.keys(timeline)).toEqual(reached.split(' ').map((moment) => `${moment}At`));
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
