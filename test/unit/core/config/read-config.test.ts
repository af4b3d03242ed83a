import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parseDocument } from 'yaml';
import { Config } from '../../../../core/config/config.ts';
import { ConfigError } from '../../../../core/config/config-problem.ts';
import { parseConfig, readConfig } from '../../../../core/config/read-config.ts';

const valid = `
clusters: [{ name: sandbox, kubeconfigSecret: kubeconfig }]
ciSystems: [{ name: github, provider: github, webhookSecret: webhook }]
profiles:
  - name: linux
    labels: [self-hosted, linux]
    clusters: [sandbox]
    namespace: agents
    agentPort: 8811
    template:
      metadata: { labels: { team: core } }
      spec:
        containers:
          - name: agent
            image: registry.example/agent:1
            resources: { limits: { cpu: 2, memory: 1Gi } }
`;

/** The valid config with one changed part, such as `profiles.0.agentPort`. */
function withValue(path: string, value: unknown): string {
  const document = parseDocument(valid);
  document.setIn(path.split('.'), document.createNode(value));
  return String(document);
}

/** The problems of a text, without their lines and columns. */
function problemsOf(text: string): readonly string[] {
  return placedProblemsOf(text).map((problem) => problem.replace(/^davit\.yaml:\d+:\d+: /, 'davit.yaml: '));
}

function placedProblemsOf(text: string): readonly string[] {
  try {
    parseConfig(text, 'davit.yaml');
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const second = {
  name: 'gpu',
  labels: ['gpu'],
  clusters: ['sandbox'],
  namespace: 'agents',
  agentPort: 1,
  template: { spec: { containers: [{ name: 'agent', image: 'x' }] } },
};
const container = 'profiles.0.template.spec.containers.0';

describe('a valid davit.yaml', () => {
  test('is read, with defaults for missing values', () => {
    expect(parseConfig(valid, 'davit.yaml').profiles[0]).toMatchObject({
      expose: 'nodePort',
      agentContainer: 'agent',
      tls: false,
      graces: { imagePullSeconds: 30, containerSeconds: 30 },
      maxRelaunches: 2,
      deadlines: { placementSeconds: 900 },
    });
  });

  test('is the same after it is bundled as JSON and parsed again', () => {
    const config = parseConfig(valid, 'davit.yaml');

    expect(Config.parse(JSON.parse(JSON.stringify(config)))).toEqual(config);
  });

  test('may have a cluster of EKS, with its API server or without', () => {
    const certificateAuthority = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
    const server = { endpoint: 'https://1A2B.gr7.eu-central-1.eks.amazonaws.com', certificateAuthority };
    const clusters = [
      { name: 'sandbox', eks: { clusterName: 'build-eu' } },
      { name: 'far', eks: { clusterName: 'build-us', region: 'us-east-1', server } },
    ];

    const config = parseConfig(withValue('clusters', clusters), 'davit.yaml');

    expect(config.clusters).toEqual(clusters);
    expect(Config.parse(JSON.parse(JSON.stringify(config)))).toEqual(config);
  });

  test('is the one in this repository', async () => {
    const config = await readConfig('davit.yaml');

    expect(config.profiles.map(({ name, expose }) => ({ name, expose }))).toEqual([
      { name: 'linux', expose: 'nodePort' },
      { name: 'linux-dial-out', expose: 'none' },
    ]);
  });
});

describe('an invalid davit.yaml', () => {
  test.each<[path: string, value: unknown, expected: string, found?: string]>([
    ['profiles.0.agentPort', 0, '1..65535'],
    ['profiles.0.agentPort', 8.5, '1..65535'],
    ['profiles.0.agentPort', '80', '1..65535'],
    ['profiles.0.expose', 'hostPort', 'one of nodePort, none'],
    ['profiles.0.namespace', null, 'text', 'nothing'],
    ['profiles.0.name', 'Linux', 'a DNS label: up to 63 of a-z, 0-9 and -'],
    ['profiles.0.tls', 'yes', 'true or false'],
    ['profiles.0.labels', [], 'a list of 1..96', 'an empty list'],
    ['profiles.0.labels', Array.from({ length: 200 }, (_, index) => `l${index}`), 'a list of 1..96', 'a list of 200'],
    ['profiles.0.deadlines.podSeconds', 0, 'a whole number from 1'],
    ['profiles.0.maxRelaunches', -1, '0..8'],
    ['profiles.0.maxRelaunches', 9, '0..8'],
    ['profiles.0.maxRelaunches', 1.5, '0..8'],
    ['profiles.0.clusterWeights.sandbox', 0, '1..100'],
    ['profiles.0.clusterWeights.sandbox', 101, '1..100'],
    ['profiles.0.clusterWeights.sandbox', 1.5, '1..100'],
    ['profiles.0.clusters.0', 'prod', 'one of sandbox'],
    ['profiles.0.agentContainer', 'agnt', 'one of agent'],
    ['profiles.0.sizes.cpu.max', null, 'a quantity such as 8, 500m or 32Gi', 'nothing'],
    ['profiles.0.sizes.cpu.max', 0, 'a quantity above 0 such as 8, 500m or 32Gi'],
    ['profiles.0.sizes.memory.max', '8GB', 'a quantity above 0 such as 8, 500m or 32Gi'],
    ['profiles.0.sizes.memory.max', '500m', 'memory such as 8Gi, at least 1Mi'],
    ['profiles.0.sizes.gpu.max', 0.5, '1..999'],
    ['profiles.0.sizes.arch', [], 'a list of at least 1', 'an empty list'],
    [`${container}.resources.limits.memory`, '1 GB', 'a quantity such as 500m or 1Gi'],
    [`${container}.readinessProbe.httpGet.port`, true, 'a whole number or a name'],
    ['profiles.0.template.spec.tolerations', { key: 'gpu' }, 'a list', 'a mapping'],
    ['clusters.0', { name: 'sandbox' }, 'either kubeconfigSecret or eks', 'a mapping'],
    ['ciSystems.0.provider', 'travis', 'one of github, gitea, jenkins, buildkite, forgejo, gitlab, standard'],
  ])('is refused with what was expected and what was found: %s = %j, expected %s', (path, value, expected, found) => {
    expect(problemsOf(withValue(path, value))).toEqual([
      `davit.yaml: ${path.replaceAll(/\.(\d+)/g, '[$1]')}: expected ${expected}, found ${found ?? JSON.stringify(value)}`,
    ]);
  });

  test.each<[path: string, value: unknown, problem: string]>([
    ['profiles.0.agentprot', 1, 'profiles[0]: unknown key "agentprot"; did you mean "agentPort"?'],
    ['profiles.0.sizes', { disk: { max: '1Gi' } }, 'profiles[0].sizes: unknown key "disk"'],
    ['colour', 'red', 'unknown key "colour"'],
    ['clusters', 'sandbox', 'clusters: expected a list of at least 1, found "sandbox"'],
    [
      'profiles.0.sizes',
      { cpu: { max: 1, steps: [0.0001] } },
      'profiles[0].sizes.cpu.steps[0]: expected cores such as 4 or 500m, found 0.0001',
    ],
    [
      'profiles.0.sizes',
      { gpu: { max: 4, steps: [] } },
      'profiles[0].sizes.gpu.steps: expected a list of 1..32, found an empty list',
    ],
    [
      'profiles.0.sizes',
      { arch: ['x86_64'] },
      'profiles[0].sizes.arch[0]: expected one of amd64, arm64, arm, ppc64le, riscv64, s390x, found "x86_64"',
    ],
    [
      'profiles.0.labels.1',
      'Davit/cpu=4',
      'profiles[0].labels[1]: expected no label that begins with davit/: jobs ask for sizes by those, see sizes, found "Davit/cpu=4"',
    ],
    [
      'clusters.0.eks',
      { clusterName: 'build-eu' },
      'clusters[0]: expected either kubeconfigSecret or eks, and not both, found a mapping',
    ],
    [
      'clusters.0',
      { name: 'sandbox', eks: { clusterName: 'build.eu' } },
      'clusters[0].eks.clusterName: expected the name of an EKS cluster: up to 100 letters, digits, - and _, found "build.eu"',
    ],
    [
      'clusters.0',
      { name: 'sandbox', eks: { clusterName: 'eu', region: 'Frankfurt' } },
      'clusters[0].eks.region: expected an AWS region such as eu-central-1, found "Frankfurt"',
    ],
    [
      'clusters.0',
      { name: 'sandbox', eks: { clusterName: 'eu', server: { endpoint: 'https://x.example' } } },
      'clusters[0].eks.server.certificateAuthority: expected text, found nothing',
    ],
    [
      'clusters.0',
      { name: 'sandbox', eks: { clusterName: 'eu', server: { endpoint: 'https://x', certificateAuthority: 'a PEM' } } },
      'clusters[0].eks.server.certificateAuthority: expected a PEM certificate in base64, found "a PEM"',
    ],
    [
      'clusters.0',
      { name: 'sandbox', eks: { clusterName: 'eu', server: { endpoint: 'http://x' } } },
      'clusters[0].eks.server.endpoint: expected an https: URL without a path, found "http://x"',
    ],
  ])('is refused with the place of the mistake: %s = %j, %s', (path, value, problem) => {
    expect(problemsOf(withValue(path, value))).toContain(`davit.yaml: ${problem}`);
  });

  test.each<[path: string, value: unknown, problem: string]>([
    [
      `${container}.imagePullPolcy`,
      'Always',
      'spec.containers[0]: unknown key "imagePullPolcy"; did you mean "imagePullPolicy"?',
    ],
    [
      `${container}.ports`,
      [{ containerPort: 'http' }],
      'spec.containers[0].ports[0].containerPort: expected a whole number, found "http"',
    ],
    [`${container}.env`, [{ name: 'A', value: 5 }], 'spec.containers[0].env[0].value: expected text, found 5'],
    [
      'profiles.0.template.spec.initContainers',
      [{ name: 'agent', image: 'x' }],
      'spec.containers[0].name: expected a name that no other container has, found "agent"',
    ],
    [
      'profiles.0.template.metadata.name',
      'mine',
      'metadata: expected labels and annotations only (davit sets the rest), found "name"',
    ],
    [
      'profiles.0.template.metadata.labels',
      { 'davit.dev/profile': 'mine' },
      'metadata.labels["davit.dev/profile"]: davit sets this itself: take it out',
    ],
    [
      `${container}.env`,
      [{ name: 'DAVIT_CREDENTIAL', value: 'x' }],
      'spec.containers[0].env[0].name: davit sets this itself: take it out',
    ],
  ])("is checked against Kubernetes' own schema: %s = %j, %s", (path, value, problem) => {
    expect(problemsOf(withValue(path, value))).toEqual([`davit.yaml: profiles[0].template.${problem}`]);
  });

  test.each<[path: string, value: unknown, problem: string]>([
    [
      'profiles.0.clusters',
      ['sandbox', 'sandbox'],
      'profiles[0].clusters[1]: expected each cluster once, found "sandbox" again',
    ],
    [
      'profiles.0.clusterWeights',
      { prod: 2 },
      "profiles[0].clusterWeights.prod: expected one of the profile's clusters: sandbox",
    ],
    [
      'clusters.1',
      { name: 'sandbox', kubeconfigSecret: 'x' },
      'clusters[1].name: expected a name that is not taken, found "sandbox" again',
    ],
    [
      'profiles.1',
      { ...second, name: 'linux' },
      'profiles[1].name: expected a name that is not taken, found "linux" again',
    ],
    [
      'ciSystems.1',
      { name: 'github', provider: 'gitea', url: 'https://gitea.example', webhookSecret: 'x' },
      'ciSystems[1].name: expected a name that is not taken, found "github" again',
    ],
    [
      'profiles.1',
      { ...second, labels: ['LINUX', 'self-hosted'] },
      'profiles[1].labels: expected a label that profile linux, which comes first, has not: no job would get to this one',
    ],
    [
      'profiles.0.sizes',
      { cpu: { max: 1 } },
      'profiles[0].template.spec.containers[0].resources.limits.cpu: expected at most the maximum in sizes, 1, found 2',
    ],
    [
      'profiles.0.sizes',
      { memory: { max: '500Mi' } },
      'profiles[0].template.spec.containers[0].resources.limits.memory: expected at most the maximum in sizes, 500Mi, found "1Gi"',
    ],
    [
      'profiles.0.sizes',
      { gpu: { max: 8, steps: [1, 16] } },
      'profiles[0].sizes.gpu.steps[1]: expected at most max, 8, found 16',
    ],
    [
      'profiles.0.sizes',
      { cpu: { max: 8, steps: [4, 8, '4000m'] } },
      'profiles[0].sizes.cpu.steps[2]: expected each size once, found "4000m" again',
    ],
    [
      'profiles.0.deadlines',
      { podSeconds: 7000 },
      'profiles[0].deadlines: expected at most 21600 s in sum, once and for each of maxRelaunches, found 31260 s (with the defaults of what is not given)',
    ],
  ])('is refused for parts that do not fit together: %s = %j, %s', (path, value, problem) => {
    expect(problemsOf(withValue(path, value))).toEqual([`davit.yaml: ${problem}`]);
  });

  test('cannot select nodes of an architecture that its sizes do not allow', () => {
    const text = valid
      .replace('agentPort:', 'sizes: { arch: [arm64] }\n    agentPort:')
      .replace('containers:', 'nodeSelector: { kubernetes.io/arch: amd64 }\n        containers:');

    expect(problemsOf(text)).toEqual([
      'davit.yaml: profiles[0].template.spec.nodeSelector["kubernetes.io/arch"]: expected one of sizes.arch: arm64, found "amd64"',
    ]);
    expect(problemsOf(text.replace('[arm64]', '[arm64, amd64]'))).toEqual([]);
  });

  test.each([
    { sizes: { cpu: { max: 64 } }, reachable: true },
    { sizes: { cpu: { max: 8 }, memory: { max: '1Gi' } }, reachable: true },
    { sizes: { arch: ['arm64'] }, reachable: true },
    { sizes: { gpu: { max: 1 } }, reachable: true },
    { sizes: { cpu: { max: '8000m' } }, reachable: true },
    { sizes: { cpu: { max: 4 } }, reachable: false },
    { sizes: { cpu: { max: 8, steps: [3] } }, reachable: true },
    { sizes: {}, reachable: false },
  ])('can have the labels of an earlier profile if it allows more: $sizes', ({ sizes, reachable }) => {
    const document = parseDocument(valid);
    document.setIn(['profiles', 0, 'sizes'], { cpu: { max: 8 } });
    document.setIn(['profiles', 1], document.createNode({ ...second, labels: ['linux'], sizes }));

    expect(problemsOf(String(document))).toHaveLength(reachable ? 0 : 1);
  });

  test('limits the container that gets the size: the first one, where the agent is an init container', () => {
    const document = parseDocument(valid);
    document.setIn(['profiles', 0, 'sizes'], { cpu: { max: 1 } });
    document.setIn(['profiles', 0, 'agentContainer'], 'connect');
    document.setIn(
      ['profiles', 0, 'template', 'spec', 'initContainers'],
      [{ name: 'connect', image: 'registry.example/curl:1', resources: { limits: { cpu: 4 } } }],
    );

    expect(problemsOf(String(document))).toEqual([
      'davit.yaml: profiles[0].template.spec.containers[0].resources.limits.cpu: expected at most the maximum in sizes, 1, found 2',
    ]);
  });

  test('cannot weight clusters with strategy ordered', () => {
    const text = valid.replace('agentPort:', 'strategy: ordered\n    clusterWeights: { sandbox: 2 }\n    agentPort:');

    expect(problemsOf(text)).toEqual([
      'davit.yaml: profiles[0].clusterWeights: expected no weights with strategy ordered',
    ]);
  });

  test.each([
    { maxRelaunches: 0, podSeconds: 18_180, foundSeconds: 21_601 },
    { maxRelaunches: 1, podSeconds: 7380, foundSeconds: 21_602 },
    { maxRelaunches: 2, podSeconds: 3780, foundSeconds: 21_603 },
  ])(
    'may wait $podSeconds s for a Pod with $maxRelaunches relaunches, and not a second longer',
    ({ maxRelaunches, podSeconds, foundSeconds }) => {
      const waiting = (seconds: number) =>
        valid.replace(
          'agentPort:',
          `maxRelaunches: ${maxRelaunches}\n    deadlines: { podSeconds: ${seconds} }\n    agentPort:`,
        );

      expect(problemsOf(waiting(podSeconds))).toEqual([]);
      expect(problemsOf(waiting(podSeconds + 1))).toEqual([
        `davit.yaml: profiles[0].deadlines: expected at most 21600 s in sum, once and for each of maxRelaunches, found ${foundSeconds} s (with the defaults of what is not given)`,
      ]);
    },
  );

  /** The valid config with more clusters, all of them in its profile. */
  function withClusters(...names: string[]): string {
    const more = names.map((name) => `, { name: ${name}, kubeconfigSecret: x }`).join('');
    return valid
      .replace('kubeconfigSecret: kubeconfig }', `kubeconfigSecret: kubeconfig }${more}`)
      .replace('clusters: [sandbox]', `clusters: [sandbox, ${names.join(', ')}]`);
  }

  test('may wait for a shorter time with each further cluster', () => {
    expect(problemsOf(withClusters('two', 'three'))).toEqual([]);
    expect(problemsOf(withClusters('two', 'three', 'four'))).toEqual([
      'davit.yaml: profiles[0].deadlines: expected at most 21600 s in sum, once and for each of maxRelaunches and for each of 3 further clusters, found 24120 s (with the defaults of what is not given)',
    ]);
  });

  test('allows at most as many relaunches as an agent name has digits for', () => {
    const text = withClusters('two').replace('agentPort:', 'maxRelaunches: 8\n    agentPort:');

    expect(problemsOf(text)).toEqual([
      'davit.yaml: profiles[0].maxRelaunches: expected at most 7 with 2 clusters, found 8: a launch begins again at most 8 times',
    ]);
  });

  test('is refused with each mistake once, without its consequences', () => {
    const text = withValue('profiles.1', { ...second, labels: [], agentContainer: 5 });

    expect(problemsOf(text)).toEqual([
      'davit.yaml: profiles[1].labels: expected a list of 1..96, found an empty list',
      'davit.yaml: profiles[1].agentContainer: expected text, found 5',
    ]);
  });

  test('is refused with all mistakes together, however far apart', () => {
    const text = valid
      .replace('agentPort: 8811', 'agentPort: 0')
      .replace('name: sandbox', 'name: sandbox, nmae: x')
      .replace('image: registry', 'imag: registry')
      .replace('clusters: [sandbox]', 'clusters: [prod]');

    expect(problemsOf(text)).toEqual([
      'davit.yaml: clusters[0]: unknown key "nmae"; did you mean "name"?',
      'davit.yaml: profiles[0].agentPort: expected 1..65535, found 0',
      'davit.yaml: profiles[0].template.spec.containers[0].image: expected text that is not empty, found nothing',
      'davit.yaml: profiles[0].template.spec.containers[0]: unknown key "imag"; did you mean "image"?',
      'davit.yaml: profiles[0].clusters[0]: expected one of sandbox, found "prod"',
    ]);
  });

  test.each([
    { what: 'a key twice', text: 'clusters: []\nclusters: []', problem: 'davit.yaml:2:1: Map keys must be unique' },
    { what: 'an alias of nothing', text: 'clusters: *none', problem: 'davit.yaml: Unresolved alias' },
    { what: 'a tag of nothing', text: 'clusters: !none []', problem: 'davit.yaml:1:11: Unresolved tag: !none' },
    { what: 'two documents', text: '{}\n---\n{}', problem: 'davit.yaml:2:1: Source contains multiple documents' },
    { what: 'nothing', text: '', problem: 'davit.yaml: expected a mapping, found nothing' },
  ])('with $what is refused with the place', ({ text, problem }) => {
    expect(placedProblemsOf(text)[0]).toContain(problem);
  });

  test.each([
    ['a key, by the key', 'agentPort: 8811', 'agentPort: 0', '9:5'],
    ['an unknown key, by the key', 'agentPort: 8811', 'agentPort: 8811\n    port: 1', '10:5'],
    ['a value out of bounds', 'agentPort: 8811', 'agentPort: 8811\n    holdFailedSeconds: 86401', '10:5'],
    ['a missing key, by the mapping that lacks it', '    agentPort: 8811\n', '', '5:5'],
    ['a list item', '[self-hosted, linux]', "[self-hosted, '']", '6:27'],
    ['a part of a list in one line', 'name: sandbox,', "name: '',", '2:14'],
  ])('with a problem names the line and column of %s', (_what, part, instead, place) => {
    const [problem] = placedProblemsOf(valid.replace(part, instead));

    expect(problem).toMatch(new RegExp(`^davit\\.yaml:${place}: `));
  });

  test('names the place of an alias whose value is a problem', () => {
    const text = valid.replace('agentPort: 8811', 'maxRelaunches: &none 0\n    agentPort: *none');

    expect(placedProblemsOf(text)).toEqual(['davit.yaml:10:5: profiles[0].agentPort: expected 1..65535, found 0']);
  });

  test('in another encoding is refused: a label would be another one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'davit-config-'));
    const path = join(directory, 'davit.yaml');
    await writeFile(path, Buffer.from(valid.replace('team: core', 'team: \u00e9'), 'latin1'));

    await expect(readConfig(path)).rejects.toThrow(`${path}: cannot be read: it is not UTF-8`);
    await rm(directory, { recursive: true });
  });

  test('that is missing is an error that names it', async () => {
    await expect(readConfig('no/davit.yaml')).rejects.toThrow(
      /^no\/davit\.yaml: cannot be read: ENOENT: .*; `davit init` writes a first one$/,
    );
  });

  test('with any text is either read or refused', () => {
    const paths = fc.constantFrom(
      'clusters.0',
      'ciSystems',
      'ciSystems.0',
      'profiles',
      container,
      ...[
        '',
        '.template',
        '.template.metadata',
        '.template.spec',
        '.template.spec.volumes',
        '.runner',
        '.repositories',
      ].map((part) => `profiles.0${part}`),
    );
    fc.assert(
      fc.property(paths, fc.jsonValue(), (path, value) => {
        expect(Array.isArray(problemsOf(withValue(path, value)))).toBe(true);
      }),
    );
  });
});
