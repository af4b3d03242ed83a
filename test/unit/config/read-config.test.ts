import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseDocument } from 'yaml';
import { ConfigError } from '../../../config/config-problem.ts';
import { parseConfig, readConfig } from '../../../config/read-config.ts';
import { Config } from '../../../functions/domain/config.ts';

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

/** The valid config with one place set to something else. */
function withValue(path: (string | number)[], value: unknown): string {
  const document = parseDocument(valid);
  document.setIn(path, document.createNode(value));
  return String(document);
}

function problemsOf(text: string): readonly string[] {
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
const container = ['profiles', 0, 'template', 'spec', 'containers', 0];

describe('a davit.yaml that is right', () => {
  test('is read, with the defaults for what it does not say', () => {
    expect(parseConfig(valid, 'davit.yaml').profiles[0]).toMatchObject({
      expose: 'nodePort',
      agentContainer: 'agent',
      tls: false,
      graces: { imagePullSeconds: 30, containerSeconds: 30 },
      maxRelaunches: 2,
      deadlines: { placementSeconds: 900 },
    });
  });

  test('is the same when what was read is bundled as JSON and parsed again', () => {
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

    const config = parseConfig(withValue(['clusters'], clusters), 'davit.yaml');

    expect(config.clusters).toEqual(clusters);
    expect(Config.parse(JSON.parse(JSON.stringify(config)))).toEqual(config);
  });

  test('is the one of this repository', async () => {
    const config = await readConfig('davit.yaml');

    expect(config.profiles.map(({ name, expose }) => ({ name, expose }))).toEqual([
      { name: 'linux', expose: 'nodePort' },
      { name: 'linux-dial-out', expose: 'none' },
    ]);
  });
});

describe('a davit.yaml that is wrong', () => {
  test.each<{ path: (string | number)[]; value: unknown; problem: string }>([
    { path: ['profiles', 0, 'agentPort'], value: 0, problem: 'profiles[0].agentPort: expected 1..65535, found 0' },
    { path: ['profiles', 0, 'agentPort'], value: 8.5, problem: 'profiles[0].agentPort: expected 1..65535, found 8.5' },
    {
      path: ['profiles', 0, 'agentPort'],
      value: '80',
      problem: 'profiles[0].agentPort: expected 1..65535, found "80"',
    },
    {
      path: ['profiles', 0, 'expose'],
      value: 'hostPort',
      problem: 'profiles[0].expose: expected one of nodePort, none, found "hostPort"',
    },
    { path: ['profiles', 0, 'namespace'], value: null, problem: 'profiles[0].namespace: expected text, found nothing' },
    {
      path: ['profiles', 0, 'name'],
      value: 'Linux',
      problem: 'profiles[0].name: expected a DNS label: up to 63 of a-z, 0-9 and -, found "Linux"',
    },
    { path: ['profiles', 0, 'tls'], value: 'yes', problem: 'profiles[0].tls: expected true or false, found "yes"' },
    {
      path: ['profiles', 0, 'labels'],
      value: [],
      problem: 'profiles[0].labels: expected a list of at least 1, found an empty list',
    },
    {
      path: ['profiles', 0, 'deadlines'],
      value: { podSeconds: 0 },
      problem: 'profiles[0].deadlines.podSeconds: expected a whole number from 1, found 0',
    },
    {
      path: ['profiles', 0, 'agentprot'],
      value: 1,
      problem: 'profiles[0]: unknown key "agentprot"; did you mean "agentPort"?',
    },
    {
      path: ['clusters', 0],
      value: { name: 'sandbox' },
      problem: 'clusters[0]: expected either kubeconfigSecret or eks, found a mapping',
    },
    {
      path: ['clusters', 0, 'eks'],
      value: { clusterName: 'build-eu' },
      problem: 'clusters[0]: expected either kubeconfigSecret or eks, and not both, found a mapping',
    },
    {
      path: ['clusters', 0],
      value: { name: 'sandbox', eks: { clusterName: 'build.eu' } },
      problem:
        'clusters[0].eks.clusterName: expected the name of an EKS cluster: up to 100 letters, digits, - and _, found "build.eu"',
    },
    {
      path: ['clusters', 0],
      value: { name: 'sandbox', eks: { clusterName: 'eu', region: 'Frankfurt' } },
      problem: 'clusters[0].eks.region: expected an AWS region such as eu-central-1, found "Frankfurt"',
    },
    {
      path: ['clusters', 0],
      value: { name: 'sandbox', eks: { clusterName: 'eu', server: { endpoint: 'https://x.example' } } },
      problem: 'clusters[0].eks.server.certificateAuthority: expected text, found nothing',
    },
    { path: ['colour'], value: 'red', problem: 'unknown key "colour"' },
    {
      path: ['ciSystems', 0, 'provider'],
      value: 'gitlab',
      problem: 'ciSystems[0].provider: expected one of github, gitea, standard, found "gitlab"',
    },
    { path: ['clusters'], value: 'sandbox', problem: 'clusters: expected a list of at least 1, found "sandbox"' },
  ])('is told what was expected and what was found: $problem', ({ path, value, problem }) => {
    expect(problemsOf(withValue(path, value))).toContain(`davit.yaml: ${problem}`);
  });

  test.each<{ path: (string | number)[]; value: unknown; problem: string }>([
    {
      path: [...container, 'imagePullPolcy'],
      value: 'Always',
      problem: 'spec.containers[0]: unknown key "imagePullPolcy"; did you mean "imagePullPolicy"?',
    },
    {
      path: [...container, 'ports'],
      value: [{ containerPort: 'http' }],
      problem: 'spec.containers[0].ports[0].containerPort: expected a whole number, found "http"',
    },
    {
      path: [...container, 'env'],
      value: [{ name: 'A', value: 5 }],
      problem: 'spec.containers[0].env[0].value: expected text, found 5',
    },
    {
      path: [...container, 'resources', 'limits', 'memory'],
      value: '1 GB',
      problem: 'spec.containers[0].resources.limits.memory: expected a quantity such as 500m or 1Gi, found "1 GB"',
    },
    {
      path: [...container, 'readinessProbe'],
      value: { httpGet: { port: true } },
      problem: 'spec.containers[0].readinessProbe.httpGet.port: expected a whole number or a name, found true',
    },
    {
      path: ['profiles', 0, 'template', 'spec', 'tolerations'],
      value: { key: 'gpu' },
      problem: 'spec.tolerations: expected a list, found a mapping',
    },
    {
      path: ['profiles', 0, 'template', 'metadata', 'name'],
      value: 'mine',
      problem: 'metadata: expected labels and annotations only (davit sets the rest), found "name"',
    },
    {
      path: ['profiles', 0, 'template', 'metadata', 'labels', 'davit.dev/profile'],
      value: 'mine',
      problem: 'metadata.labels["davit.dev/profile"]: davit sets this itself: take it out',
    },
    {
      path: [...container, 'env'],
      value: [{ name: 'DAVIT_CREDENTIAL', value: 'x' }],
      problem: 'spec.containers[0].env[0].name: davit sets this itself: take it out',
    },
  ])("is held to Kubernetes' own schema: $problem", ({ path, value, problem }) => {
    expect(problemsOf(withValue(path, value))).toEqual([`davit.yaml: profiles[0].template.${problem}`]);
  });

  test.each<{ path: (string | number)[]; value: unknown; problem: string }>([
    {
      path: ['profiles', 0, 'clusters', 0],
      value: 'prod',
      problem: 'profiles[0].clusters[0]: expected one of sandbox, found "prod"',
    },
    {
      path: ['profiles', 0, 'agentContainer'],
      value: 'agnt',
      problem: 'profiles[0].agentContainer: expected one of agent, found "agnt"',
    },
    {
      path: ['clusters', 1],
      value: { name: 'sandbox', kubeconfigSecret: 'x' },
      problem: 'clusters[1].name: expected a name that is not taken, found "sandbox" again',
    },
    {
      path: ['profiles', 1],
      value: { ...second, name: 'linux' },
      problem: 'profiles[1].name: expected a name that is not taken, found "linux" again',
    },
    {
      path: ['ciSystems', 1],
      value: { name: 'github', provider: 'gitea', url: 'https://gitea.example', webhookSecret: 'x' },
      problem: 'ciSystems[1].name: expected a name that is not taken, found "github" again',
    },
    {
      path: ['profiles', 1],
      value: { ...second, labels: ['LINUX', 'self-hosted'] },
      problem:
        'profiles[1].labels: expected a label that profile linux, which comes first, has not: no job would get to this one',
    },
    {
      path: ['profiles', 0, 'deadlines'],
      value: { podSeconds: 7000 },
      problem:
        'profiles[0].deadlines: expected at most 21600 s in sum, once and for each of maxRelaunches, found 31260 s (with the defaults of what is not given)',
    },
  ])('has parts that do not fit together: $problem', ({ path, value, problem }) => {
    expect(problemsOf(withValue(path, value))).toEqual([`davit.yaml: ${problem}`]);
  });

  test.each([
    { maxRelaunches: 0, podSeconds: 18_180, foundSeconds: 21_601 },
    { maxRelaunches: 1, podSeconds: 7380, foundSeconds: 21_602 },
    { maxRelaunches: 2, podSeconds: 3780, foundSeconds: 21_603 },
  ])(
    'may wait $podSeconds s for a Pod with $maxRelaunches relaunches, and no second more',
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

  test.each([-1, 9, 1.5])('cannot ask for %p relaunches', (maxRelaunches) => {
    expect(problemsOf(withValue(['profiles', 0, 'maxRelaunches'], maxRelaunches))).toHaveLength(1);
  });

  test('is told of a mistake once, and not of what would follow from it', () => {
    const text = withValue(['profiles', 1], { ...second, labels: [], agentContainer: 5 });

    expect(problemsOf(text)).toEqual([
      'davit.yaml: profiles[1].labels: expected a list of at least 1, found an empty list',
      'davit.yaml: profiles[1].agentContainer: expected text, found 5',
    ]);
  });

  test('is told all that is wrong with it at once, however far apart', () => {
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
  ])('with $what is refused, saying where', ({ text, problem }) => {
    expect(problemsOf(text)[0]).toContain(problem);
  });

  test('that is not there is an error that names it', async () => {
    await expect(readConfig('no/davit.yaml')).rejects.toThrow(/^no\/davit\.yaml: cannot be read: .*ENOENT/);
  });

  test('with anything at any place is either read or told of', () => {
    const paths = fc.constantFrom<(string | number)[]>(
      ['profiles'],
      ['profiles', 0],
      ['profiles', 0, 'template'],
      ['profiles', 0, 'template', 'metadata'],
      ['profiles', 0, 'template', 'spec'],
      ['profiles', 0, 'template', 'spec', 'volumes'],
      container,
      ['clusters', 0],
      ['ciSystems'],
      ['ciSystems', 0],
      ['profiles', 0, 'runner'],
      ['profiles', 0, 'repositories'],
    );
    fc.assert(
      fc.property(paths, fc.jsonValue(), (path, value) => {
        expect(Array.isArray(problemsOf(withValue(path, value)))).toBe(true);
      }),
    );
  });
});
