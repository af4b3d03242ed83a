import { agentPod, agentService } from '../../../../core/agent/agent-objects.ts';
import type { PodTemplate } from '../../../../core/agent/pod-template.ts';
import { Profile } from '../../../../core/config/config.ts';
import { nextGeneration } from '../../../../core/launch/plan-launch.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';
import { testProfile } from '../../../support/make-test-deps.ts';

const plan = planOf('github-1-2-1', { sourceUrl: 'https://github.com/o/r/actions/runs/1/job/2' });
const ourLabels = {
  'app.kubernetes.io/managed-by': 'davit',
  'app.kubernetes.io/name': 'davit-agent',
  'davit.dev/launch-id': 'github-1-2-1',
  'davit.dev/agent-name': 'davit-github-1-2-1',
  'davit.dev/profile': 'linux',
};
const ourAnnotations = {
  'davit.dev/execution': 'github-1-2-1',
  'davit.dev/source-url': 'https://github.com/o/r/actions/runs/1/job/2',
};
const credentialId = '4a1c2f0e-7d3b-4e58-9b61-0c5d2e8f7a90';
const podAnnotations = { ...ourAnnotations, 'davit.dev/credential-id': credentialId };
const extras = { env: {}, labels: {}, credentialId, serviceUid: 'service-uid-1' };

function profileWith(template: PodTemplate): Profile {
  return Profile.parse({ ...testProfile, template });
}

const container = { name: 'agent', image: 'registry.example/agent:1' };

test("the Service is a NodePort of the Pod's own node, selects Pods that are not ready, and pins no port", () => {
  expect(agentService(plan)).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'davit-github-1-2-1', namespace: 'davit-agents', labels: ourLabels, annotations: ourAnnotations },
    spec: {
      type: 'NodePort',
      externalTrafficPolicy: 'Local',
      publishNotReadyAddresses: true,
      selector: { 'davit.dev/agent-name': 'davit-github-1-2-1' },
      ports: [{ name: 'agent', protocol: 'TCP', port: 8811, targetPort: 8811 }],
    },
  });
});

test('the annotations of a CI job name its repository, workflow and run', () => {
  const job = { name: 'build', repository: 'acme/app', workflow: 'ci', runId: 40, attempt: 1 };
  const ofJob = { 'davit.dev/repository': 'acme/app', 'davit.dev/workflow': 'ci', 'davit.dev/run': '40' };

  expect(agentService({ ...plan, job }).metadata.annotations).toEqual({ ...ourAnnotations, ...ofJob });
  expect(agentPod({ ...plan, job }, testProfile, extras).metadata.annotations).toMatchObject(ofJob);
  expect(agentService({ ...plan, job: { name: 'build', attempt: 1 } }).metadata.annotations).toEqual(ourAnnotations);
});

test('the Pod of a plain template is owned by the Service, is not evicted, and is spread over the nodes', () => {
  expect(agentPod(plan, testProfile, extras)).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'davit-github-1-2-1',
      namespace: 'davit-agents',
      labels: ourLabels,
      annotations: {
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
        'karpenter.sh/do-not-disrupt': 'true',
        ...podAnnotations,
      },
      ownerReferences: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: 'davit-github-1-2-1',
          uid: 'service-uid-1',
          controller: false,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'davit-agent' } },
        },
      ],
      containers: [{ ...container, env: [] }],
    },
  });
});

test('the Service selects the Pod of its own generation, and no other', () => {
  const later = nextGeneration(plan, 1_767_225_630_000);
  const selector = { 'davit.dev/agent-name': 'davit-github-1-2-1-r2' };

  expect(agentService(later).spec).toHaveProperty('selector', selector);
  expect(agentPod(later, testProfile, extras).metadata.labels).toMatchObject(selector);
  expect(agentPod(plan, testProfile, extras).metadata.labels).not.toMatchObject(selector);
});

test('an unexposed Pod has no owner', () => {
  expect(agentPod(plan, testProfile, { ...extras, serviceUid: undefined }).metadata).not.toHaveProperty(
    'ownerReferences',
  );
});

test('a launch without a source has no source annotation', () => {
  expect(agentService(planOf('github-1-2-1')).metadata.annotations).toStrictEqual({
    'davit.dev/execution': 'github-1-2-1',
  });
});

describe('the template', () => {
  test("overrides each of davit's defaults, but nothing that davit reads back", () => {
    const spec = {
      restartPolicy: 'OnFailure',
      automountServiceAccountToken: true,
      enableServiceLinks: true,
      topologySpreadConstraints: [],
      nodeSelector: { pool: 'agents' },
      containers: [container],
    };
    const annotations = {
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true',
      'karpenter.sh/do-not-disrupt': 'false',
    };
    const credential = { 'davit.dev/credential-id': 'of the template' };
    const metadata = { annotations: { ...annotations, ...credential } };

    const pod = agentPod(plan, profileWith({ metadata, spec }), extras);

    expect(pod.spec).toEqual({ ...spec, containers: [{ ...container, env: [] }] });
    expect(pod.metadata.annotations).toEqual({ ...annotations, ...podAnnotations });
  });

  test("adds labels, which win over the caller's, and davit's win over both", () => {
    const foreign = {
      'davit.dev/launch-id': 'github-9-9-9',
      'davit.dev/agent-name': 'davit-github-9-9-9',
      'davit.dev/profile': 'windows',
    };
    const profile = profileWith({
      metadata: { labels: { ...foreign, team: 'platform' } },
      spec: { containers: [container] },
    });

    const pod = agentPod(plan, profile, { ...extras, labels: { ...foreign, team: 'evil', branch: 'main' } });

    expect(pod.metadata.labels).toEqual({ ...ourLabels, team: 'platform', branch: 'main' });
  });

  test("cannot set the Pod's name, namespace or owners", () => {
    const metadata = { name: 'other', namespace: 'kube-system', ownerReferences: [] };

    expect(() => Profile.parse({ ...testProfile, template: { metadata, spec: { containers: [container] } } })).toThrow(
      'expected labels and annotations only (davit sets the rest)',
    );
  });

  test('is not changed by the launches that use it', () => {
    const before = structuredClone(testProfile);

    agentPod(plan, testProfile, { ...extras, env: { DAVIT_AGENT_NAME: 'x' }, labels: { team: 'build' } });

    expect(testProfile).toEqual(before);
  });
});

describe('the environment', () => {
  const env = [
    { name: 'DAVIT_CREDENTIAL', value: 'of the template' },
    { name: 'PATH_OF_THE_IMAGE', value: '/opt' },
    { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ];
  const profile = profileWith({
    spec: {
      containers: [
        { name: 'dind', image: 'docker:27-dind' },
        { ...container, env },
      ],
    },
  });
  const given = { DAVIT_CREDENTIAL: 'of the launch', GREETING: 'hello' };

  test("takes the launch's value for a name that the template has, too, and keeps the rest of the template's", () => {
    const pod = agentPod(plan, profile, { ...extras, env: given });

    expect(pod.spec).toMatchObject({
      containers: [
        { name: 'dind' },
        {
          name: 'agent',
          env: [
            { name: 'PATH_OF_THE_IMAGE', value: '/opt' },
            { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
            { name: 'DAVIT_CREDENTIAL', value: 'of the launch' },
            { name: 'GREETING', value: 'hello' },
          ],
        },
      ],
    });
  });

  test("has the launch's values literally, while the template's may refer to other variables", () => {
    const template = { name: 'TOOLS', value: '$(PATH_OF_THE_IMAGE)/bin' };
    const referring = profileWith({ spec: { containers: [{ ...container, env: [template] }] } });

    const pod = agentPod(plan, referring, { ...extras, env: { GREETING: '$(TOOLS) costs $$5' } });

    expect(pod.spec).toMatchObject({
      containers: [{ env: [template, { name: 'GREETING', value: '$$(TOOLS) costs $$$$5' }] }],
    });
  });

  test('goes to an agent that is a sidecar, too', () => {
    const sidecar = { ...container, restartPolicy: 'Always' };
    const helper = { name: 'helper', image: 'registry.example/helper:1' };
    const ofSidecar = profileWith({ spec: { initContainers: [sidecar], containers: [helper] } });

    expect(agentPod(plan, ofSidecar, { ...extras, env: { GREETING: 'hello' } }).spec).toMatchObject({
      initContainers: [{ ...sidecar, env: [{ name: 'GREETING', value: 'hello' }] }],
      containers: [helper],
    });
  });

  test("goes to the agent's container and to no other", () => {
    const pod = agentPod(plan, profile, { ...extras, env: given });

    expect(pod.spec).toMatchObject({ containers: [{ name: 'dind', image: 'docker:27-dind' }, { name: 'agent' }] });
    expect(JSON.stringify(pod).split('of the launch')).toHaveLength(2);
  });
});
