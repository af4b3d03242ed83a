import { agentNameOf, apiLaunchId } from '../../../../core/launch/names.ts';
import { type Moment, when } from '../../../support/execution-events.ts';
import { create } from '../node-objects.ts';
import { idle } from '../outcomes/containers.ts';
import { expectFailure, type Failure, profilesOf, type Row, requestLaunch } from '../outcomes/expect-outcome.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

interface Taken extends Row, Failure {
  resource: 'services' | 'pods';
}

interface Interference extends Taken {
  /** The moment at which another client interferes. */
  moment: Moment;
  /** Whether that client puts another object in its place. */
  isReplaced: boolean;
}

/** The launch fails at the first deletion, so that its error can be read. */
const changes = { agent: idle, profile: { maxRelaunches: 0 } };
const theirs = { whose: 'theirs' };
const specOf = {
  services: { ports: [{ port: 80 }] },
  pods: { containers: [{ name: 'theirs', ...idle, imagePullPolicy: 'Never' }], terminationGracePeriodSeconds: 0 },
};
const podGone = /the Pod is gone|Pod davit-\S+ (is being deleted since|was replaced: uid)/;

const taken: Taken[] = [
  {
    what: "when its Service's name is taken",
    changes,
    resource: 'services',
    code: 'NameCollision',
    detail: /Service davit-\S+ exists and is not this launch's: .*"whose":"theirs"/,
  },
  {
    what: "when its Pod's name is taken",
    changes,
    resource: 'pods',
    code: 'NameCollision',
    detail: /Pod davit-\S+ exists and is not this launch's: .*"whose":"theirs"/,
  },
];

const deleted = { code: 'DeletedExternally', changes, isReplaced: false } as const;
const replaced = { ...deleted, isReplaced: true } as const;
// Between two steps davit may be first: then the garbage collector removes the Pod without an owner.
const serviceGone = new RegExp(`the Service was deleted or replaced|${podGone.source}`);

const interferences: Interference[] = [
  {
    ...deleted,
    what: 'when its Service is deleted as its port is read',
    moment: 'leaves CreateService',
    resource: 'services',
    detail: serviceGone,
  },
  {
    ...replaced,
    what: 'when its Service is replaced as its port is read',
    moment: 'leaves CreateService',
    resource: 'services',
    detail: serviceGone,
  },
  {
    ...deleted,
    what: 'when its Pod is deleted as it is placed',
    moment: 'leaves CreatePod',
    resource: 'pods',
    detail: podGone,
  },
  {
    ...deleted,
    what: 'when its Pod is deleted while its agent is awaited',
    moment: 'enters PublishToken',
    resource: 'pods',
    detail: podGone,
  },
  {
    ...replaced,
    what: 'when its Pod is replaced while its agent is awaited',
    moment: 'enters PublishToken',
    resource: 'pods',
    detail: podGone,
  },
  {
    ...deleted,
    what: 'when its Service is deleted while its agent is awaited',
    moment: 'enters PublishToken',
    resource: 'services',
    detail: podGone,
  },
];

let davit: DavitOnCluster;
beforeAll(async () => {
  davit = await startDavit(await openTestCluster(), { profiles: profilesOf(taken, interferences) });
});
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

const pathOf = (resource: Taken['resource']): string => `/api/v1/namespaces/davit-agents/${resource}`;

/** Creates another client's object under the name that a launch gives its own. */
function createTheirs(resource: Taken['resource'], name: string): Promise<void> {
  return create(davit.api, pathOf(resource), { metadata: { name, labels: theirs }, spec: specOf[resource] });
}

/** Expects that another client's object still exists, and removes it. */
async function expectTheirs(resource: Taken['resource'], name: string): Promise<void> {
  const path = `${pathOf(resource)}/${name}`;
  const { body } = await davit.api.send(path);
  await davit.api.send(path, { method: 'DELETE' });

  expect(body['metadata']).toMatchObject({ labels: theirs });
  expect(body['metadata']).not.toHaveProperty('deletionTimestamp');
}

describe('a launch into a real cluster fails, says why, leaves nothing, and does not touch objects of others', () => {
  test.concurrent.each(taken)('$what: $code', async ({ resource, ...row }) => {
    const name = agentNameOf(apiLaunchId(row.what));
    await createTheirs(resource, name);

    await expectFailure(davit, await requestLaunch(davit, row), row);

    await expectTheirs(resource, name);
  });

  test.concurrent.each(interferences)('$what: $code', async ({ resource, moment, isReplaced, ...row }) => {
    const launchId = apiLaunchId(row.what);
    const name = agentNameOf(launchId);
    const { promise: interfered, resolve, reject } = Promise.withResolvers<void>();
    when(davit.runtime, launchId, moment, () => {
      const body = { gracePeriodSeconds: 0, propagationPolicy: 'Background' };
      const removed = davit.api.send(`${pathOf(resource)}/${name}`, { method: 'DELETE', body });
      removed.then(async () => (isReplaced ? createTheirs(resource, name) : undefined)).then(resolve, reject);
    });
    await requestLaunch(davit, row);
    await interfered;

    await expectFailure(davit, launchId, row);

    if (isReplaced) await expectTheirs(resource, name);
  });
});
