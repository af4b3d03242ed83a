import { agentService } from '../../../../core/agent/agent-objects.ts';
import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import type { Manifest } from '../../../../core/pod/manifest.ts';
import { createOnce } from '../../../../logic/steps/create-once.ts';
import { endingOf, planOf } from '../../../contract/launch-fixtures.ts';
import { afterCalls } from '../../../support/around-calls.ts';
import {
  makeTestDeps,
  requestLaunch,
  type TestDeps,
  testAgentName,
  testLaunchId,
} from '../../../support/make-test-deps.ts';

const subject = { launchId: testLaunchId, service: testAgentName };

let deps: TestDeps;
let manifest: Manifest;
beforeEach(async () => {
  deps = makeTestDeps();
  manifest = agentService(await requestLaunch(deps));
});

function create(sent = manifest) {
  return createOnce(deps.cluster.services, deps.launches, testLaunchId, sent, subject);
}

test('a missing object is created', async () => {
  const created = await create();

  expect(created).toEqual({ object: await deps.cluster.services.get('davit-agents', testAgentName), isNew: true });
  expect(deps.cluster.writes).toEqual(['create Service davit-github-1-2-1']);
});

test('an object of an earlier attempt is adopted', async () => {
  const first = await create();

  const second = await create();

  expect(second).toEqual({ object: first.object, isNew: false });
  expect(deps.cluster.writes).toEqual(['create Service davit-github-1-2-1']);
});

test.each([
  { fact: "another launch's", labels: { 'davit.dev/launch-id': 'github-9-9-9' } },
  { fact: "nobody's", labels: {} },
])('an object that is $fact is left alone, and the error names its owner', async ({ labels }) => {
  await deps.cluster.services.create({ ...manifest, metadata: { ...manifest.metadata, labels } });

  await expect(create()).rejects.toThrow(
    `NameCollision: Service davit-github-1-2-1 exists and is not this launch's: {"labels":${JSON.stringify(labels)}}`,
  );
  expect(deps.cluster.writes).toEqual(['create Service davit-github-1-2-1']);
});

test('an object of ours that another Service owns is not adopted', async () => {
  const other = { apiVersion: 'v1', kind: 'Service', name: testAgentName, uid: 'service-uid-0' };
  const owner = { ...other, controller: false, blockOwnerDeletion: true };
  await deps.cluster.services.create({ ...manifest, metadata: { ...manifest.metadata, ownerReferences: [owner] } });

  await expect(create()).rejects.toMatchObject({ name: 'TerminalError', code: 'NameCollision' });
});

test('an object of ours that is being deleted was deleted from outside', async () => {
  const { object } = await create();
  deps.cluster.services.change(object.metadata.name, (view) => ({
    ...view,
    metadata: { ...view.metadata, deletionTimestamp: '2026-01-01T00:00:05Z' },
  }));

  await expect(create()).rejects.toThrow(
    'DeletedExternally: Service davit-github-1-2-1 is being deleted since 2026-01-01T00:00:05Z',
  );
});

test('an object that disappears before it is read is left to the next attempt', async () => {
  deps.cluster.services.create = async () => undefined;

  await expect(create()).rejects.toMatchObject({
    name: 'TransientError',
    code: 'WriteConflict',
    detail: 'Service davit-github-1-2-1 existed and is gone',
  });
});

test('an object is removed when the launch has ended during its creation', async () => {
  const ending = endingOf({ outcome: 'terminated', code: 'Terminated' });
  afterCalls(deps.cluster.services, 'create', () => deps.launches.end(testLaunchId, ending));

  await expect(create()).rejects.toMatchObject({
    name: 'TerminalError',
    code: 'LaunchOver',
    detail: 'the launch was ended while its Service was created',
  });
  expect(deps.cluster.services.all()).toEqual([]);
  expect(deps.cluster.writes).toEqual([
    'create Service davit-github-1-2-1',
    'delete Service davit-github-1-2-1 service-uid-1',
  ]);
});

test('an object is removed when the launch continues with another agent', async () => {
  const next = nextGeneration(planOf(testLaunchId), 1_767_225_630_000);
  const ended = { code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: 1_767_225_630_000 };
  await deps.launches.relaunch(next, { agentName: testAgentName, ...ended });

  await expect(create()).rejects.toMatchObject({ code: 'LaunchOver' });
  expect(deps.cluster.services.all()).toEqual([]);
  expect(await create(agentService(next))).toMatchObject({
    object: { metadata: { name: 'davit-github-1-2-1-r2' } },
    isNew: true,
  });
});
