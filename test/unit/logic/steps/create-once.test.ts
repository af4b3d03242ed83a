import { agentService } from '../../../../core/agent/agent-objects.ts';
import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import type { Manifest } from '../../../../core/pod/manifest.ts';
import { createOnce } from '../../../../logic/steps/create-once.ts';
import { endingOf, planOf } from '../../../contract/launch-fixtures.ts';
import {
  makeTestDeps,
  requestLaunch,
  type TestDeps,
  testAgentName,
  testLaunchId,
} from '../../../support/make-test-deps.ts';
import { portWith } from '../../../support/port-with.ts';

const subject = { launchId: testLaunchId, service: testAgentName };

async function launched(): Promise<{ deps: TestDeps; manifest: Manifest }> {
  const deps = makeTestDeps();
  return { deps, manifest: agentService(await requestLaunch(deps)) };
}

function create({ cluster, launches }: TestDeps, manifest: Manifest) {
  return createOnce(cluster.services, launches, testLaunchId, manifest, subject);
}

test('a missing object is created', async () => {
  const { deps, manifest } = await launched();

  const created = await create(deps, manifest);

  expect(created).toEqual({ object: await deps.cluster.services.get('davit-agents', testAgentName), isNew: true });
  expect(deps.cluster.writes).toEqual(['create Service davit-github-1-2-1']);
});

test('an object of an earlier attempt is adopted', async () => {
  const { deps, manifest } = await launched();
  const first = await create(deps, manifest);

  const second = await create(deps, manifest);

  expect(second).toEqual({ object: first.object, isNew: false });
  expect(deps.cluster.writes).toEqual(['create Service davit-github-1-2-1']);
});

test.each([
  { fact: "another launch's", labels: { 'davit.dev/launch-id': 'github-9-9-9' } },
  { fact: "nobody's", labels: {} },
])('an object that is $fact is left alone, and the error names its owner', async ({ labels }) => {
  const { deps, manifest } = await launched();
  await deps.cluster.services.create({ ...manifest, metadata: { ...manifest.metadata, labels } });

  await expect(create(deps, manifest)).rejects.toThrow(
    `NameCollision: Service davit-github-1-2-1 exists and is not this launch's: {"labels":${JSON.stringify(labels)}}`,
  );
  expect(deps.cluster.writes).toEqual(['create Service davit-github-1-2-1']);
});

test('an object of ours that another Service owns is not adopted', async () => {
  const { deps, manifest } = await launched();
  const owner = {
    apiVersion: 'v1',
    kind: 'Service',
    name: testAgentName,
    uid: 'service-uid-0',
    controller: false,
    blockOwnerDeletion: true,
  };
  await deps.cluster.services.create({ ...manifest, metadata: { ...manifest.metadata, ownerReferences: [owner] } });

  await expect(create(deps, manifest)).rejects.toMatchObject({ name: 'TerminalError', code: 'NameCollision' });
});

test('an object of ours that is being deleted was deleted from outside', async () => {
  const { deps, manifest } = await launched();
  const { object } = await create(deps, manifest);
  deps.cluster.services.change(object.metadata.name, (view) => ({
    ...view,
    metadata: { ...view.metadata, deletionTimestamp: '2026-01-01T00:00:05Z' },
  }));

  await expect(create(deps, manifest)).rejects.toThrow(
    'DeletedExternally: Service davit-github-1-2-1 is being deleted since 2026-01-01T00:00:05Z',
  );
});

test('an object that disappears before it is read is left to the next attempt', async () => {
  const { deps, manifest } = await launched();
  const services = portWith(deps.cluster.services, { create: async () => undefined });

  await expect(createOnce(services, deps.launches, testLaunchId, manifest, subject)).rejects.toMatchObject({
    name: 'TransientError',
    code: 'WriteConflict',
    detail: 'Service davit-github-1-2-1 existed and is gone',
  });
});

test('an object is removed when the launch has ended during its creation', async () => {
  const { deps, manifest } = await launched();
  const services = portWith(deps.cluster.services, {
    create: async (sent) => {
      const created = await deps.cluster.services.create(sent);
      await deps.launches.end(testLaunchId, endingOf({ outcome: 'terminated', code: 'Terminated' }));
      return created;
    },
  });

  await expect(createOnce(services, deps.launches, testLaunchId, manifest, subject)).rejects.toMatchObject({
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
  const { deps, manifest } = await launched();
  const next = nextGeneration(planOf(testLaunchId), 1_767_225_630_000);
  const ended = { code: 'PodEvicted', message: 'PodEvicted: drained', endedAtEpochMs: 1_767_225_630_000 };
  await deps.launches.relaunch(next, { agentName: testAgentName, ...ended });

  await expect(create(deps, manifest)).rejects.toMatchObject({ code: 'LaunchOver' });
  expect(deps.cluster.services.all()).toEqual([]);
  expect(await create(deps, agentService(next))).toMatchObject({
    object: { metadata: { name: 'davit-github-1-2-1-r2' } },
    isNew: true,
  });
});
