import { recordFailedAttempts } from '../../../support/expect-one-agent.ts';
import { startAdmissionWebhook } from '../outcomes/admission-webhook.ts';
import { idle } from '../outcomes/containers.ts';
import {
  describeFailures,
  expectAgent,
  type Failure,
  profilesOf,
  type Row,
  requestLaunch,
} from '../outcomes/expect-outcome.ts';
import { makePolicedNamespaces, repairWebhook } from '../outcomes/policed-namespaces.ts';
import { startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const inNamespace = (namespace: string) => ({ agent: idle, profile: { namespace } });

const failures: (Row & Failure)[] = [
  {
    what: "when its namespace's quota wants requests",
    changes: { ...inNamespace('counted'), agent: { ...idle, resources: {} } },
    code: 'ResourcesUnspecified',
    detail: /failed quota: none: must specify requests\.cpu for: agent/,
  },
  {
    what: 'when its agent is larger than a LimitRange allows',
    changes: { ...inNamespace('small'), agent: { ...idle, resources: { limits: { memory: '64Mi' } } } },
    code: 'AdmissionDenied',
    detail: /is forbidden: maximum memory usage per Container is 32Mi, but limit is 64Mi/,
  },
  {
    what: 'when Pod Security refuses its Pod',
    changes: inNamespace('restricted'),
    code: 'AdmissionDenied',
    detail: /violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false/,
  },
  {
    what: 'when a policy refuses its Pod',
    changes: inNamespace('no-pods'),
    code: 'AdmissionDenied',
    detail:
      /create pods at .*ValidatingAdmissionPolicy 'no-pods' with binding 'no-pods' denied request: no agents here/,
  },
  {
    what: 'when a policy refuses its Service',
    changes: inNamespace('no-services'),
    code: 'AdmissionDenied',
    detail: /create services at .*ValidatingAdmissionPolicy 'no-services' .* denied request: no agents here/,
  },
  {
    what: 'when an admission webhook denies it',
    changes: inNamespace('denied'),
    code: 'AdmissionDenied',
    detail: /admission webhook "denied\.davit\.dev" denied the request: agents sign first/,
  },
  {
    what: 'when its admission webhook is down',
    changes: { ...inNamespace('unheard'), deadlines: { podSeconds: 3 } },
    code: 'PodDeadlineExceeded',
    detail:
      /CreatePod gave up after \d+ s of 3 s; at last: .*failed calling webhook "unheard\.davit\.dev": .*connection refused/,
  },
  {
    what: 'when its namespace is being deleted',
    changes: inNamespace('ending'),
    code: 'NamespaceMissing',
    detail: /unable to create new content in namespace ending because it is being terminated/,
  },
  {
    what: 'when its ServiceAccount is missing',
    changes: { agent: idle, spec: { serviceAccountName: 'nobody' } },
    code: 'AdmissionDenied',
    detail: /error looking up service account davit-agents\/nobody: serviceaccount "nobody" not found/,
  },
  {
    what: 'when its PriorityClass is missing',
    changes: { agent: idle, spec: { priorityClassName: 'unheard-of' } },
    code: 'AdmissionDenied',
    detail: /no PriorityClass with name unheard-of was found/,
  },
];

const patient = { what: 'once its admission webhook is back', changes: { profile: { namespace: 'heard-late' } } };

const cluster = await openTestCluster();
const webhook = await startAdmissionWebhook(cluster.hostIp, { '/denied': { denial: 'agents sign first' } });
const davit = await startDavit(cluster, { profiles: profilesOf(failures, [patient]) });
const failedAttempts = recordFailedAttempts(davit.runtime);
beforeAll(() => makePolicedNamespaces(davit.api, webhook, `https://${cluster.hostIp}:1/`));
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
  await webhook[Symbol.asyncDispose]();
});

describeFailures(davit, failures);

test.concurrent(`a launch into a real cluster waits, and works, ${patient.what}`, async () => {
  const launchId = await requestLaunch(davit, patient);
  await until('an attempt has failed', 60_000, async () => failedAttempts.has(launchId));
  await repairWebhook(davit.api, 'heard-late', webhook.clientConfigOf('/allowed'));

  await expectAgent(davit, launchId);

  expect(new Set(failedAttempts.get(launchId))).toEqual(new Set(['AdmissionUnavailable']));
});
