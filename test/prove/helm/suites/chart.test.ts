import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
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
  ['persistence.size', { config: configOf(profile), persistence: { size: 'large' } }],
  ['replicas', { config: configOf(profile), replicas: 2 }],
  ['secrets.0', { config: configOf(profile), secrets: [{ name: 'davit/token', secretName: 'x' }] }],
  ['ingress.host: expected the host name', { config: configOf(profile), ingress: { enabled: true } }],
])('wrong values are named by their place: %s', async (place, values) => {
  await expect(rendered(values)).rejects.toThrow(place);
});
