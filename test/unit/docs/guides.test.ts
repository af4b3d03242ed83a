import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import { isErrorCode } from '../../../core/errors/error-codes.ts';
import { matchProfile } from '../../../core/job/match-profile.ts';
import configSchema from '../../../davit.schema.json' with { type: 'json' };
import { configOfExample, exampleNames, type Manifest, manifestsOf, readExample } from '../../support/examples.ts';
import { blocksOf } from '../../support/shell-blocks.ts';
import { read } from './documents.ts';

const guides = readdirSync(join(rootFolder, 'docs/guides'))
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => name.replace(/\.md$/, ''));

test('each guide has an example, and each example a guide', () => {
  expect(guides.toSorted()).toEqual(readdirSync(join(rootFolder, 'examples')).toSorted());
});

test('the list of guides has each of them', () => {
  const list = read('docs/guides/README.md');

  expect(new Set(Array.from(list.matchAll(/\]\(([\w-]+)\.md\)/g), ([, name]) => name))).toEqual(new Set(guides));
});

/** Says whether some lines are in a file one after the other, perhaps further to the right. */
function isPartOf(block: string, text: string): boolean {
  const lines = text.split('\n');
  const wanted = block.trimEnd().split('\n');
  return lines.some((line, start) => {
    const shift = line.indexOf(line.trimStart()) - (wanted[0] ?? '').search(/\S/);
    const indent = ' '.repeat(Math.max(0, shift));
    return wanted.every((each, index) => lines[start + index] === (each === '' ? '' : `${indent}${each}`));
  });
}

/** The words of a launch that waits which are no codes of davit's. */
const clustersWords = ['FailedAttachVolume', 'FailedMount', 'SchedulingGated', 'Unschedulable'];

/** Returns the table of what davit says when something is wrong. */
function troubles(markdown: string): string {
  return /^\| davit says \|.*?\n\n/ms.exec(markdown)?.[0] ?? '';
}

describe.each(guides)('the guide %s', (name) => {
  const markdown = read(`docs/guides/${name}.md`);
  const blocks = blocksOf(markdown, 'yaml').map(({ text }) => text);

  test('quotes its example, line by line', () => {
    const files = readExample(name);

    expect(blocks.filter((block) => !files.some(({ text }) => isPartOf(block, text)))).toEqual([]);
  });

  test('names codes that davit has, and words of the cluster', () => {
    const said = Array.from(troubles(markdown).matchAll(/^\| (?:`signal` )?`([A-Z]\w+)`/gm), ([, word = '']) => word);

    expect(said.filter((word) => !isErrorCode(word) && !clustersWords.includes(word))).toEqual([]);
  });
});

const require = createRequire(import.meta.url);
const Serializer = z.object({
  ObjectSerializer: z.custom<{
    serialize: (data: unknown, type: string) => unknown;
    deserialize: (data: unknown, type: string) => unknown;
  }>(),
});
/** Kubernetes' own client, which omits the fields that it does not know. */
const { ObjectSerializer } = Serializer.parse(require('@kubernetes/client-node/dist/gen/models/ObjectSerializer.js'));

/** Kinds of Karpenter and of Kueue, which Kubernetes' own client does not know. */
const otherGroups = ['karpenter.sh/v1', 'kueue.x-k8s.io/v1beta2'];

function asKubernetesKnowsIt({ apiVersion, kind, ...rest }: Manifest): unknown {
  const type = `V1${kind}`;
  const known = ObjectSerializer.serialize(ObjectSerializer.deserialize({ apiVersion, kind, ...rest }, type), type);
  return JSON.parse(JSON.stringify(known));
}

/** The schema that an editor uses. */
const acceptsConfig = new Ajv2020({ strict: false }).compile(configSchema);

describe.each(exampleNames)('the example %s', (name) => {
  test('has a davit.yaml that davit reads', () => {
    expect(configOfExample(name).profiles.length).toBeGreaterThan(0);
  });

  test('has a davit.yaml that an editor finds right, by its first line', () => {
    const text = readExample(name).find(({ file }) => file === 'davit.yaml')?.text ?? '';

    acceptsConfig(parse(text));

    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\.\/\.\.\/davit\.schema\.json\n/);
    expect(acceptsConfig.errors ?? []).toEqual([]);
  });

  test('has manifests with fields that Kubernetes knows', () => {
    const own = manifestsOf(name).filter(({ apiVersion }) => !otherGroups.includes(apiVersion));

    expect(own.map(asKubernetesKnowsIt)).toEqual(own);
  });

  test('has the claims and the accounts that its templates name, in the namespaces of its profiles', () => {
    const there = manifestsOf(name).map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);

    expect([...there, ...ofEachNamespace(name)]).toEqual(expect.arrayContaining(namedBy(name)));
  });
});

const Spec = z.looseObject({
  serviceAccountName: z.string().optional(),
  volumes: z.array(z.looseObject({ persistentVolumeClaim: z.object({ claimName: z.string() }).optional() })).optional(),
});

/** `davit rbac` makes this account in each namespace. */
function ofEachNamespace(name: string): string[] {
  return configOfExample(name).profiles.map(({ namespace }) => `ServiceAccount ${namespace}/davit-agent`);
}

function namedBy(name: string): string[] {
  return configOfExample(name).profiles.flatMap(({ namespace, template }) => {
    const { serviceAccountName: account, volumes = [] } = Spec.parse(template.spec);
    return [
      ...(account === undefined ? [] : [`ServiceAccount ${namespace}/${account}`]),
      ...volumes.flatMap(({ persistentVolumeClaim: claim }) =>
        claim === undefined ? [] : [`PersistentVolumeClaim ${namespace}/${claim.claimName}`],
      ),
    ];
  });
}

const Workflow = z.looseObject({
  jobs: z.record(
    z.string(),
    z.looseObject({ 'runs-on': z.union([z.string().transform((label) => [label]), z.array(z.string())]) }),
  ),
});

/** Which profile takes each job of an example's workflow, in the repository acme/monorepo. */
function taken(name: string): Record<string, string | undefined> {
  const text = readExample(name).find(({ file }) => file === 'workflow.yaml')?.text ?? '';
  const { profiles, ciSystems } = configOfExample(name);
  const repository = { owner: 'acme', name: 'monorepo' };
  const takes = (labels: string[]) => {
    const match = matchProfile(profiles, ciSystems[0] ?? { provider: 'standard' }, { labels, repository });
    return match.profile?.name ?? match.reason;
  };
  const written = (label: string) => label.replace('${{ matrix.arch }}', 'arm64');
  return Object.fromEntries(
    Object.entries(Workflow.parse(parse(text)).jobs).map(([job, { 'runs-on': labels }]) => [
      job,
      takes(labels.map(written)),
    ]),
  );
}

test.each([
  ['image-builds', { 'own-buildkit': 'images', 'shared-buildkit': 'images-shared', buildah: 'buildah' }],
  ['gpus', { train: 'gpu', test: 'gpu-slice' }],
  ['arm64', { arm: 'arm64', both: 'linux' }],
  ['service-containers', { integration: 'integration' }],
  ['monorepos', { unit: 'monorepo', backend: 'monorepo', deploy: 'deploy', soak: 'nightly' }],
  ['from-arc', { build: 'arc-linux', image: 'arc-dind' }],
])('the jobs of %s go to the profiles that its guide says', (name, profiles) => {
  expect(taken(name)).toEqual(profiles);
});
