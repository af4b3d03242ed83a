import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { problemsOf } from '../../../support/prometheus-operator/operator-schemas.ts';
import { run } from '../../cluster/run.ts';
import { chart, helm, rendered } from '../release.ts';
import { configOf, profileOf, west } from '../values.ts';

const example = join(chart, 'ci', 'example-values.yaml');
const profile = profileOf('linux', 'http://ci');

const Manifest = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});

/** The objects of a manifest, without what is for helm alone. */
function objectsOf(text: string): Map<string, unknown> {
  const kept = text.replaceAll(/ +annotations:\n +helm.sh\/resource-policy: keep\n/g, '');
  const objects = parseAllDocuments(kept).flatMap((document) => Manifest.safeParse(document.toJS()).data ?? []);
  return new Map(objects.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, each]));
}

test('helm lint finds nothing', async () => {
  const { exitCode, output } = await helm(['lint', '--strict', chart, '--values', example]);

  expect(output).not.toMatch(/WARNING|ERROR/);
  expect(exitCode).toBe(0);
});

const gitea = {
  name: 'gitea',
  provider: 'gitea',
  url: 'https://gitea.example',
  webhookSecret: 'hook',
  tokenSecret: 'token',
};
const runner = { name: 'gitea', labels: ['g'], clusters: ['here'], namespace: 'helm-agents', runner: 'gitea' };

/** Configs whose agents' namespaces differ in every way that the chart knows. */
const configs: readonly [string, object][] = [
  ['the example', parse(await readFile(example, 'utf8')).config],
  ['a profile that reaches nothing', configOf({ ...profile, egress: [], expose: 'none' })],
  ['nodes that davit reads', configOf({ ...profile, hostAddress: 'nodeInternalIP', egress: [] })],
  [
    'networks that have a metadata service, and a runner',
    { ...configOf({ ...runner, egress: ['0.0.0.0/0', '2001:db8::/48'] }), ciSystems: [gitea] },
  ],
  [
    'a profile of another cluster',
    configOf(profile, {
      ...profile,
      name: 'other',
      labels: ['other'],
      clusters: ['west'],
      namespace: 'helm-agents-west',
    }),
  ],
  [
    'two profiles in one namespace',
    configOf({ ...profile, expose: 'none' }, { ...profile, name: 'other', labels: ['other'] }),
  ],
];

test.each(configs)('the chart makes what davit rbac prints: %s', async (_what, config) => {
  await using resources = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'davit-chart-'));
  resources.defer(() => rm(directory, { recursive: true }));
  const file = join(directory, 'davit.yaml');
  await writeFile(file, JSON.stringify(config));

  const printed = await run(process.execPath, ['cli/rbac.ts', '--config', file, '--cluster', 'here']);
  const made = objectsOf(await rendered({ config, secrets: [west.secret] }));

  const expected = objectsOf(printed.replaceAll('davit-system', 'davit'));
  // The release has an account and a namespace already, and its Pod gets a token that expires.
  for (const own of ['Namespace /davit', 'ServiceAccount davit/davit', 'Secret davit/davit-token'])
    expected.delete(own);
  expect(Object.fromEntries([...expected.keys()].map((key) => [key, made.get(key)]))).toEqual(
    Object.fromEntries(expected),
  );
  const agents = [...made.keys()].filter((key) => /(helm|davit)-agents/.test(key));
  expect(agents.filter((key) => !expected.has(key) && !key.endsWith('/davit-agents-connect'))).toEqual([]);
});

test('each namespace has the Pod Security level of the values', async () => {
  const config = configOf(profile, { ...profile, name: 'images', labels: ['images'], namespace: 'helm-agents-images' });
  const agents = { podSecurity: 'restricted', podSecurityOf: { 'helm-agents-images': 'privileged' } };

  const made = objectsOf(await rendered({ config, agents, secrets: [west.secret] }));

  const levelOf = (namespace: string) =>
    JSON.stringify(made.get(`Namespace /${namespace}`)).match(/enforce":"(\w+)"/)?.[1];
  expect([levelOf('helm-agents'), levelOf('helm-agents-images')]).toEqual(['restricted', 'privileged']);
});

test("an uninstall and a rollback leave the network of running agents as it is, and davit's rights", async () => {
  const text = await rendered({ config: parse(await readFile(example, 'utf8')).config });

  const documents = parseAllDocuments(text).map((document) => document.toJS());
  const inAgents = documents.filter((each) => String(each?.metadata?.namespace).startsWith('davit-agents'));
  const kept = inAgents.filter(({ metadata }) => metadata.annotations?.['helm.sh/resource-policy'] === 'keep');
  const kinds = (objects: { kind: string }[]) => [...new Set(objects.map(({ kind }) => kind))].toSorted();

  expect(kinds(kept)).toEqual(['NetworkPolicy', 'Role', 'RoleBinding']);
  expect(kinds(inAgents.filter((each) => !kept.includes(each)))).toEqual([
    'LimitRange',
    'ResourceQuota',
    'ServiceAccount',
  ]);
});

describe('the network of davit itself', () => {
  const Egress = z.looseObject({
    spec: z.looseObject({ egress: z.array(z.looseObject({ ports: z.array(z.object({ port: z.number() })) })) }),
  });
  async function portsWith(values: object) {
    const objects = objectsOf(await rendered({ config: configOf(profile), secrets: [west.secret], ...values }));
    const { egress } = Egress.parse(objects.get('NetworkPolicy /davit')).spec;
    return egress.map(({ ports }) => ports.map(({ port }) => port));
  }

  test.each([
    ['http://collector.monitoring.svc:4318', 4318],
    ['https://otlp.example/otlp', 443],
    ['http://[fd00::7]/otlp', 80],
  ])('has the way to the collector %s', async (url, port) => {
    expect(await portsWith({ otlp: { url } })).toEqual([[53, 53], [443, 6443], [port]]);
  });

  test('is DNS alone without egressPorts, and not everything', async () => {
    expect(await portsWith({ networkPolicy: { egressPorts: [] } })).toEqual([[53, 53]]);
  });
});

describe('metrics', () => {
  const Port = z.looseObject({ name: z.string().optional(), port: z.number(), targetPort: z.string().optional() });
  const Service = z.looseObject({
    metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
    spec: z.looseObject({ ports: z.array(Port) }),
  });
  const Monitor = z.looseObject({
    metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
    spec: z.looseObject({
      selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
      endpoints: z.array(z.looseObject({ port: z.string() })),
    }),
  });
  const Davit = z.looseObject({
    spec: z.looseObject({
      template: z.looseObject({
        spec: z.looseObject({
          containers: z.tuple([
            z.looseObject({
              args: z.array(z.string()),
              ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
            }),
          ]),
        }),
      }),
    }),
  });
  const Policy = z.looseObject({ spec: z.looseObject({ ingress: z.array(z.unknown()) }) });
  const Kind = z.looseObject({ kind: z.string() });
  const common = { config: configOf(profile), secrets: [west.secret] };

  async function made(metrics: object) {
    const ingress = { enabled: true, host: 'davit.example', agents: true };
    const text = await rendered({ ...common, ingress, metrics });
    const objects = objectsOf(text);
    const container = Davit.parse(objects.get('StatefulSet /davit')).spec.template.spec.containers[0];
    const services = [...objects].flatMap(([key, each]) => (key.startsWith('Service ') ? [Service.parse(each)] : []));
    const policy = Policy.parse(objects.get('NetworkPolicy /davit'));
    return { text, objects, container, services, ingress: policy.spec.ingress };
  }

  test('nothing serves them by default', async () => {
    const { text, container, services, ingress } = await made({});

    expect(container.ports).toEqual([{ name: 'http', containerPort: 8080 }]);
    expect(services).toHaveLength(2);
    expect(ingress).toEqual([{ ports: [{ protocol: 'TCP', port: 8080 }] }]);
    expect(text).not.toMatch(/metrics|monitoring/);
  });

  test('they have a port and a Service of their own, which only the cluster reaches, and no agent', async () => {
    const { objects, container, services, ingress } = await made({ enabled: true, port: 9100 });

    expect(container.args).toContain('--metrics-listen=0.0.0.0:9100');
    expect(container.ports).toContainEqual({ name: 'metrics', containerPort: 9100 });
    const serving = services.filter(({ spec }) => spec.ports.some(({ targetPort }) => targetPort === 'metrics'));
    expect(serving).toMatchObject([{ metadata: { name: 'davit-metrics' }, spec: { ports: [{ port: 9100 }] } }]);
    expect(JSON.stringify(objects.get('Ingress /davit'))).not.toContain('metrics');
    const notAgents = { key: 'app.kubernetes.io/name', operator: 'NotIn', values: ['davit-agent'] };
    expect(ingress).toEqual([
      { ports: [{ protocol: 'TCP', port: 8080 }] },
      {
        ports: [{ protocol: 'TCP', port: 9100 }],
        from: [{ namespaceSelector: {}, podSelector: { matchExpressions: [notAgents] } }],
      },
    ]);
    expect([...objects.keys()].filter((key) => /Monitor|PrometheusRule/.test(key))).toEqual([]);
  });

  test('only those whom the values name read them', async () => {
    const prometheus = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } };

    const { ingress } = await made({ enabled: true, from: [prometheus] });

    expect(ingress[1]).toEqual({ ports: [{ protocol: 'TCP', port: 9464 }], from: [prometheus] });
  });

  test("a ServiceMonitor is what the operator's schema says, and finds the one Service with the metrics", async () => {
    const serviceMonitor = {
      enabled: true,
      namespace: 'monitoring',
      labels: { release: 'kube-prometheus-stack' },
      annotations: { note: 'x' },
      interval: '1m30s',
      scrapeTimeout: '10s',
      relabelings: [{ targetLabel: 'team', replacement: 'platform' }],
      metricRelabelings: [{ action: 'drop', regex: 'davit_step_time.*', sourceLabels: ['__name__'] }],
    };

    const { objects, services } = await made({ serviceMonitor });

    const monitor = Monitor.parse(objects.get('ServiceMonitor monitoring/davit'));
    expect(problemsOf(Kind.parse(monitor))).toEqual([]);
    expect(monitor.metadata.labels).toMatchObject({ release: 'kube-prometheus-stack' });
    const wanted = Object.entries(monitor.spec.selector.matchLabels);
    const found = services.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels[key] === value));
    expect(found).toMatchObject([{ spec: { ports: [{ name: 'metrics', targetPort: 'metrics' }] } }]);
    const {
      labels: _labels,
      annotations: _annotations,
      enabled: _enabled,
      namespace: _namespace,
      ...endpoint
    } = serviceMonitor;
    expect(monitor.spec).toMatchObject({
      namespaceSelector: { matchNames: ['davit'] },
      endpoints: [{ port: 'metrics', path: '/metrics', ...endpoint }],
    });
  });

  test('the smallest ServiceMonitor leaves intervals to Prometheus', async () => {
    const { objects } = await made({ serviceMonitor: { enabled: true } });

    const monitor = Monitor.parse(objects.get('ServiceMonitor davit/davit'));
    expect(problemsOf(Kind.parse(monitor))).toEqual([]);
    expect(monitor.spec.endpoints).toEqual([{ port: 'metrics', path: '/metrics' }]);
  });

  test("a PrometheusRule is what the operator's schema says, with the alerts of the guide", async () => {
    const { objects } = await made({ prometheusRule: { enabled: true, labels: { release: 'kube-prometheus-stack' } } });

    const rule = Kind.parse(objects.get('PrometheusRule davit/davit'));
    expect(problemsOf(rule)).toEqual([]);
    expect(rule).toMatchObject({
      metadata: { labels: { release: 'kube-prometheus-stack' } },
      spec: parse(await readFile('examples/alerts/prometheus-rules.yaml', 'utf8')),
    });
  });

  test('what the schema does not know is a problem', () => {
    const spec = { selector: {}, endpoints: [{ interval: 'often', retries: 3 }] };

    const problems = problemsOf(Object({ apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', spec }));

    expect(problems).toEqual([
      expect.stringContaining(
        '/spec/endpoints/0: must NOT have additional properties {"additionalProperty":"retries"}',
      ),
      expect.stringContaining('/spec/endpoints/0/interval: must match pattern'),
    ]);
  });
});

test.each<[string, object]>([
  ['config', {}],
  ['config.profiles.0.agentPort', { config: configOf({ ...profile, agentPort: 'many' }) }],
  [
    'config.profiles[0].namespace: expected another than davit',
    { config: configOf({ ...profile, namespace: 'davit' }) },
  ],
  [
    'config.profiles[0].egress[1]: the chart cannot leave the metadata services out of fd00::/8',
    { config: configOf({ ...profile, egress: ['internet', 'fd00::/8'] }) },
  ],
  [
    'config.profiles[0].egress[0]: the chart cannot leave the metadata services out of fd00:0ec2::/64',
    { config: configOf({ ...profile, egress: ['fd00:0ec2::/64'] }) },
  ],
  ['persistence.size', { config: configOf(profile), persistence: { size: 'large' } }],
  ['metrics.port', { config: configOf(profile), metrics: { port: 8080 } }],
  ['metrics.serviceMonitor.interval', { config: configOf(profile), metrics: { serviceMonitor: { interval: '30' } } }],
  ['replicas', { config: configOf(profile), replicas: 2 }],
  ['secrets.0', { config: configOf(profile), secrets: [{ name: 'davit/token', secretName: 'x' }] }],
  ['ingress.host: expected the host name', { config: configOf(profile), ingress: { enabled: true } }],
])('wrong values are named by their place: %s', async (place, values) => {
  await expect(rendered(values)).rejects.toThrow(place);
});
