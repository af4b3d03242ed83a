import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import type { ServiceView } from '../../../../core/pod/kubernetes-objects.ts';
import { createService } from '../../../../functions/create-service/create-service.ts';
import { removeObjects } from '../../../../logic/steps/remove-objects.ts';
import type { ObjectPage } from '../../../../ports/cluster.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';
import { makeTestDeps, type TestDeps, testLaunchId } from '../../../support/make-test-deps.ts';
import { portWith } from '../../../support/port-with.ts';
import { launchAt, withPod, withService } from '../../../support/run-steps.ts';

const ofLaunch = { 'davit.dev/launch-id': testLaunchId };

/** A launch whose first generation has a Service and a Pod, and whose second has a Service. */
async function withTwoGenerations(): Promise<TestDeps> {
  const { deps, state } = await launchAt(withPod);
  const next = nextGeneration(planOf(testLaunchId), deps.nowEpochMs());
  const { agentName } = state;
  await deps.launches.relaunch(next, { agentName, code: 'PodEvicted', message: 'drained', endedAtEpochMs: 1 });
  await createService(deps, { ...next, expose: 'nodePort' });
  return deps;
}

function left({ cluster }: TestDeps): string[] {
  return [...cluster.services.all(), ...cluster.pods.all()].map(({ metadata }) => metadata.name);
}

test('deletes objects with the labels by the uid that it has read, and names them', async () => {
  const { deps } = await launchAt(withPod);
  deps.cluster.terminationMs = 1000;

  expect(await removeObjects(deps.cluster, 'davit-agents', ofLaunch)).toEqual([
    { kind: 'Pod', name: 'davit-github-1-2-1', uid: 'pod-uid-3', since: '6', times: {} },
    { kind: 'Service', name: 'davit-github-1-2-1', uid: 'service-uid-1', since: '2' },
  ]);
});

test('deletes a Service before its Pod, so that the cluster removes the Pod even if davit stops', async () => {
  const { deps } = await launchAt(withPod);
  const deleted: string[] = [];
  const keep = (kind: string) => async (_namespace: string, name: string, uid: string) => {
    deleted.push(`${kind} ${name} ${uid}`);
  };
  const cluster = {
    services: portWith(deps.cluster.services, { delete: keep('Service') }),
    pods: portWith(deps.cluster.pods, { delete: keep('Pod') }),
  };

  await removeObjects(cluster, 'davit-agents', ofLaunch);

  expect(deleted).toEqual(['Service davit-github-1-2-1 service-uid-1', 'Pod davit-github-1-2-1 pod-uid-3']);
});

test('removes only the given generation', async () => {
  const deps = await withTwoGenerations();

  const removed = await removeObjects(deps.cluster, 'davit-agents', {
    ...ofLaunch,
    'davit.dev/agent-name': 'davit-github-1-2-1',
  });

  expect(new Set(removed.map(({ name }) => name))).toEqual(new Set(['davit-github-1-2-1']));
  expect(left(deps)).toEqual(['davit-github-1-2-1-r2']);
});

test('names objects that are being deleted, because they still exist', async () => {
  const { deps } = await launchAt(withService);
  deps.cluster.services.change('davit-github-1-2-1', (view) => ({
    ...view,
    metadata: { ...view.metadata, deletionTimestamp: '2026-01-01T00:00:05Z' },
  }));

  const removed = await removeObjects(deps.cluster, 'davit-agents', ofLaunch);

  expect(removed).toMatchObject([{ kind: 'Service', name: 'davit-github-1-2-1', uid: 'service-uid-1' }]);
  expect(deps.cluster.writes).toEqual(['create Service davit-github-1-2-1']);
});

describe('a list of several pages', () => {
  const cursors = [undefined, 'page-2', 'page-3'];

  test('is removed to its end', async () => {
    const { cluster } = makeTestDeps();
    const asked: (string | undefined)[] = [];
    const deleted: string[] = [];
    const services = portWith(cluster.services, {
      list: async (_namespace, _labels, cursor) => {
        asked.push(cursor);
        return pageOf(cursors.indexOf(cursor));
      },
      delete: async (_namespace, name) => void deleted.push(name),
    });

    const removed = await removeObjects({ services, pods: cluster.pods }, 'davit-agents', ofLaunch);

    expect(asked).toEqual(cursors);
    expect(deleted).toEqual(['service-0', 'service-1', 'service-2']);
    expect(removed.map(({ name, since }) => [name, since])).toEqual([
      ['service-0', '7'],
      ['service-1', '8'],
      ['service-2', '9'],
    ]);
  });

  function pageOf(index: number): ObjectPage<ServiceView> {
    const name = `service-${index}`;
    const metadata = { name, namespace: 'davit-agents', uid: `${name}-uid`, resourceVersion: '1' };
    const cursor = cursors[index + 1];
    return {
      items: [{ metadata, spec: { ports: [] } }],
      resourceVersion: `${index + 7}`,
      ...(cursor === undefined ? {} : { cursor }),
    };
  }
});
