import { idle, idleAfter, shell } from '../outcomes/containers.ts';
import {
  describeFailures,
  expectAgent,
  type Failure,
  profilesOf,
  type Row,
  requestLaunch,
} from '../outcomes/expect-outcome.ts';
import { startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

const limitedTo = (memory: string) => ({ resources: { limits: { memory, cpu: '200m' } } });
const init = (name: string, container: object) => ({ initContainers: [{ name, ...container }] });
const sidecar = (container: object) => init('helper', { ...container, restartPolicy: 'Always' });

/** The ways in which a started container ends. */
const failures: (Row & Failure)[] = [
  {
    what: 'when its agent crashes',
    changes: { agent: shell('echo no disk >&2; exit 3') },
    code: 'ContainerTerminated',
    detail: /container agent terminated with exit code 3: Error.*node node-\d, container agent/,
    log: 'no disk',
  },
  {
    what: 'when its agent crashes and is started again',
    changes: { agent: shell('echo no disk >&2; exit 3'), spec: { restartPolicy: 'Always' } },
    code: 'ContainerTerminated',
    detail: /exit code 3: Error/,
    log: 'no disk',
  },
  {
    what: 'when its agent is killed by a signal',
    changes: { agent: shell('kill -9 $(echo $$); sh -c "kill -9 1"; exit 137') },
    code: 'ContainerTerminated',
    detail: /container agent terminated with exit code 137: Error/,
  },
  {
    what: 'when its agent ends by itself',
    changes: { agent: shell('echo nothing to do; exit 0') },
    code: 'PodSucceeded',
    detail: /phase (Pending|Running|Succeeded); container agent terminated with exit code 0: Completed/,
    log: 'nothing to do',
  },
  {
    what: 'when its agent uses more memory than it may',
    changes: { agent: { ...shell('tail /dev/zero'), ...limitedTo('24Mi') } },
    code: 'OutOfMemory',
    detail: /container agent terminated with exit code 137: OOMKilled; memory limit: 24Mi/,
  },
  {
    what: 'when its init container uses more memory than it may',
    changes: { agent: idle, spec: init('prepare', { ...shell('tail /dev/zero'), ...limitedTo('20Mi') }) },
    code: 'OutOfMemory',
    detail: /container prepare terminated with exit code 137: OOMKilled; memory limit: 20Mi/,
  },
  {
    what: 'when its init container fails',
    changes: { agent: idle, spec: init('prepare', shell('echo no clone >&2; exit 4')) },
    code: 'InitContainerFailed',
    detail: /container prepare terminated with exit code 4: Error/,
    log: 'no clone',
  },
  {
    what: 'when its sidecar keeps crashing',
    changes: { agent: idle, spec: sidecar(shell('echo no port >&2; exit 5')) },
    code: 'ContainerTerminated',
    detail: /container helper terminated with exit code 5: Error/,
    log: 'no port',
  },
  {
    what: 'when its Pod may not live long enough',
    changes: { agent: idle, spec: { activeDeadlineSeconds: 2 } },
    code: 'PodLifetimeExceeded',
    detail:
      /DeadlineExceeded; Pod was active on the node longer than the specified deadline.*; activeDeadlineSeconds: 2/,
  },
  {
    what: 'when its agent never connects',
    changes: { agent: idleAfter('echo idling'), deadlines: { connectSeconds: 10 } },
    code: 'ConnectDeadlineExceeded',
    detail:
      /PublishToken gave up after \d+ s of 10 s; at last: the agent has not connected; its token says 10\.250\.\S+:3\d{4}; /,
    log: 'idling',
  },
];

/** Containers that end, or seem to, without harm. */
const works: Row[] = [
  { what: 'when its init container ends well', changes: { spec: init('prepare', shell('exit 0')) } },
  { what: 'when its sidecar runs beside it', changes: { spec: sidecar(idle) } },
  {
    what: 'when its sidecar fails once, and is started again',
    changes: {
      spec: {
        volumes: [{ name: 'kept', emptyDir: {} }],
        ...sidecar({
          ...idleAfter('[ -e /kept/tried ] || { touch /kept/tried; exit 5; }'),
          volumeMounts: [{ name: 'kept', mountPath: '/kept' }],
        }),
      },
    },
  },
];

const davit = await startDavit(await openTestCluster(), { profiles: profilesOf(failures, works) });
afterAll(() => davit[Symbol.asyncDispose]());

describeFailures(davit, failures);

describe('a launch into a real cluster works, and leaves nothing,', () => {
  test.concurrent.each(works)('$what', async (row) => {
    await expectAgent(davit, await requestLaunch(davit, row));
  });
});
