import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ErrorCode, errorCodes } from '../../../functions/domain/error-codes.ts';
import { untilExecutionEnds } from '../../support/execution-events.ts';
import { idleImage } from '../images/images.ts';
import { create } from '../node-objects.ts';
import { type ClusterProfile, type DavitOnCluster, startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';

const cluster = await openTestCluster();

/** A profile that fails, the code that it fails with, and the cluster's words in the message. */
interface Failure {
  what: string;
  changes: ClusterProfile;
  code: ErrorCode;
  says: RegExp;
}

const idle = { image: idleImage };
const inNamespace = (name: string) => ({ namespace: name });

const failures: Failure[] = [
  {
    what: 'whose Pod fits no node',
    changes: { agent: idle, spec: { nodeSelector: { disk: 'none' } }, deadlines: { placementSeconds: 3 } },
    code: 'PlacementDeadlineExceeded',
    says: /Unschedulable: 0\/3 nodes are available: .*didn't match Pod's node affinity\/selector/,
  },
  {
    what: 'whose Pod waits at a gate',
    changes: {
      agent: idle,
      spec: { schedulingGates: [{ name: 'davit.dev/never' }] },
      deadlines: { placementSeconds: 3 },
    },
    code: 'PlacementDeadlineExceeded',
    says: /at last: held by davit\.dev\/never; SchedulingGated: Scheduling is blocked/,
  },
  {
    what: 'whose namespace’s quota is full',
    changes: { agent: idle, profile: inNamespace('full'), deadlines: { quotaSeconds: 3 } },
    code: 'QuotaDeadlineExceeded',
    says: /exceeded quota: none, requested: services=1, used: services=0, limited: services=0/,
  },
  {
    what: 'whose namespace’s quota wants requests',
    changes: { agent: { ...idle, resources: {} }, profile: inNamespace('counted') },
    code: 'ResourcesUnspecified',
    says: /failed quota: none: must specify requests\.cpu for: agent/,
  },
  {
    what: 'whose agent is larger than a LimitRange allows',
    changes: { agent: { ...idle, resources: { limits: { memory: '64Mi' } } }, profile: inNamespace('small') },
    code: 'AdmissionDenied',
    says: /maximum memory usage per Container is 32Mi, but limit is 64Mi/,
  },
  {
    what: 'that Pod Security refuses',
    changes: { agent: idle, profile: inNamespace('restricted') },
    code: 'AdmissionDenied',
    says: /violates PodSecurity "restricted:latest"/,
  },
  {
    what: 'that a policy refuses',
    changes: { agent: idle, profile: inNamespace('policed') },
    code: 'AdmissionDenied',
    says: /ValidatingAdmissionPolicy 'no-agents' with binding 'no-agents' denied request: no agents here/,
  },
  {
    what: 'whose admission webhook is down',
    changes: { agent: idle, profile: inNamespace('hooked'), deadlines: { podSeconds: 3 } },
    code: 'PodDeadlineExceeded',
    says: /AdmissionUnavailable.*failed calling webhook "down\.davit\.dev"|failed calling webhook "down\.davit\.dev"/,
  },
  {
    what: 'whose namespace is missing',
    changes: { agent: idle, profile: inNamespace('missing') },
    code: 'NamespaceMissing',
    says: /namespaces "missing" not found/,
  },
  {
    what: 'whose template is wrong',
    changes: { agent: { ...idle, env: [{ name: 'a=b', value: 'c' }] } },
    code: 'ObjectInvalid',
    says: /spec\.containers\[0\]\.env\[0\]\.name: Invalid value: "a=b"/,
  },
];

const nameOf = (index: number): string => `failing-${index}`;

let davit: DavitOnCluster;
const launchIds = new Map<string, string>();
beforeAll(async () => {
  const profiles = Object.fromEntries(failures.map(({ changes }, index) => [nameOf(index), changes]));
  davit = await startDavit(cluster, { profiles });
  await makeNamespaces();
  // All at once: most of a failure is waiting.
  for (const [index, { what }] of failures.entries()) {
    launchIds.set(what, await davit.launches.request({ profile: nameOf(index), jobId: what }));
  }
}, 120_000);
afterAll(async () => {
  await davit[Symbol.asyncDispose]();
});

describe('a launch into a real cluster fails, says why and what to do, and leaves nothing', () => {
  test.each(failures)('$what: $code', async ({ what, code, says }) => {
    const launchId = launchIds.get(what) ?? '';

    const { status, ending } = await davit.launches.until(launchId, 'failed', 'terminated');
    const execution = await untilExecutionEnds(davit.runtime, launchId);

    const { means, advice } = errorCodes[code];
    expect({ status, ...ending }).toMatchObject({ status: 'failed', outcome: 'failed', code, means, advice });
    expect(ending?.message).toMatch(says);
    expect(ending?.message).toContain(launchId);
    expect(execution).toMatchObject({ status: 'FAILED', error: code, cause: ending?.message });
    expect(await davit.left(launchId)).toEqual([]);
  });
});

/** Namespaces in each of which the cluster refuses a launch, each in its own way. */
async function makeNamespaces(): Promise<void> {
  const namespace = async (name: string, labels: Record<string, string> = {}) =>
    create(davit.api, '/api/v1/namespaces', { metadata: { name, labels } });
  const within = (name: string, resource: string, spec: object) =>
    create(davit.api, `/api/v1/namespaces/${name}/${resource}`, { metadata: { name: 'none' }, spec });
  await namespace('full');
  await within('full', 'resourcequotas', { hard: { services: '0' } });
  await namespace('counted');
  await within('counted', 'resourcequotas', { hard: { 'requests.cpu': '1' } });
  await namespace('small');
  await within('small', 'limitranges', { limits: [{ type: 'Container', max: { memory: '32Mi' } }] });
  await namespace('restricted', { 'pod-security.kubernetes.io/enforce': 'restricted' });
  await namespace('policed', { policed: 'yes' });
  await makePolicy();
  await namespace('hooked', { hooked: 'yes' });
  await makeDeadWebhook();
}

async function makePolicy(): Promise<void> {
  const group = '/apis/admissionregistration.k8s.io/v1';
  const pods = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
  const metadata = { name: 'no-agents' };
  await create(davit.api, `${group}/validatingadmissionpolicies`, {
    metadata,
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [pods] },
      validations: [{ expression: 'false', message: 'no agents here' }],
    },
  });
  await create(davit.api, `${group}/validatingadmissionpolicybindings`, {
    metadata,
    spec: {
      policyName: 'no-agents',
      validationActions: ['Deny'],
      matchResources: { namespaceSelector: { matchLabels: { policed: 'yes' } } },
    },
  });
}

/** A webhook whose address nobody listens at. */
async function makeDeadWebhook(): Promise<void> {
  await create(davit.api, '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'down' },
    webhooks: [
      {
        name: 'down.davit.dev',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
        clientConfig: { url: `https://${cluster.hostIp}:1/` },
        namespaceSelector: { matchLabels: { hooked: 'yes' } },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
    ],
  });
}
