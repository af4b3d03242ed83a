import { create } from '../node-objects.ts';
import { remove } from '../outcomes/change-object.ts';
import { expectFailure, profilesOf, requestLaunch } from '../outcomes/expect-outcome.ts';
import { expectRecovery, type Recovery } from '../outcomes/expect-recovery.ts';
import { type DavitOnCluster, startDavit } from '../start-davit.ts';
import { startTemporaryCluster } from '../test-cluster.ts';

const services = '/api/v1/namespaces/default/services';
const isFull = /create services at .*HTTP 500: .*failed to allocate a nodePort: range is full/;

const failure = {
  what: 'when the range stays full: NodePortRangeDeadlineExceeded',
  changes: { deadlines: { nodePortRangeSeconds: 3 } },
};
const recovery: Recovery = {
  what: 'when a Service that has a port of a full range is deleted',
  changes: {},
  signal: 'NodePortRangeFull',
  detail: isFull,
  mend: ({ api }) => remove(api, `${services}/taker-1`),
};

const opened = new AsyncDisposableStack();
let davit: DavitOnCluster;
beforeAll(async () => {
  const cluster = opened.use(await startTemporaryCluster({ nodePortRange: '30000-30001' }));
  davit = opened.use(await startDavit(cluster, { profiles: profilesOf([failure, recovery]) }));
  const spec = { type: 'NodePort', ports: [{ port: 80 }] };
  for (const name of ['taker-1', 'taker-2']) await create(davit.api, services, { metadata: { name }, spec });
}, 180_000);
afterAll(async () => {
  await opened.disposeAsync();
});

describe('a launch into a real cluster of two node ports', () => {
  test(`fails, and leaves nothing, ${failure.what}`, async () => {
    await expectFailure(davit, await requestLaunch(davit, failure), {
      code: 'NodePortRangeDeadlineExceeded',
      detail: isFull,
    });
  });

  test(`waits, says for what, and works ${recovery.what}`, async () => {
    await expectRecovery(davit, recovery);
  });
});
