import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { rootFolder } from '../../../cdk/bundling.ts';
import { parseConfig } from '../../../core/config/read-config.ts';
import { matchProfile } from '../../../core/job/match-profile.ts';
import { chartValuesSchema } from '../../../scripts/chart/chart-files.ts';

/** The parts of a davit.yaml that excerpts omit. */
const usual = {
  clusters: ['builds', 'overflow'].map((name) => ({ name, kubeconfigSecret: `davit-kubeconfig-${name}` })),
  ciSystems: [
    { name: 'github', provider: 'github', webhookSecret: 'hook', app: { id: 1, privateKeySecret: 'key' } },
    { name: 'gitea', provider: 'gitea', url: 'https://gitea.example.com', webhookSecret: 'hook', tokenSecret: 'token' },
    {
      name: 'jenkins',
      provider: 'jenkins',
      url: 'https://jenkins.example.com',
      user: 'davit',
      webhookSecret: 'hook',
      tokenSecret: 'token',
    },
    {
      name: 'forgejo',
      provider: 'forgejo',
      url: 'https://forgejo.example.com',
      scope: 'orgs/acme',
      webhookSecret: 'hook',
      tokenSecret: 'token',
    },
    { name: 'buildkite', provider: 'buildkite', organization: 'acme', webhookSecret: 'hook', tokenSecret: 'token' },
    { name: 'gitlab', provider: 'gitlab', group: 'acme', webhookSecret: 'hook', tokenSecret: 'token' },
  ],
  profiles: [
    {
      name: 'usual',
      labels: ['usual'],
      clusters: ['builds'],
      namespace: 'davit-agents',
      agentPort: 8811,
      template: { spec: { containers: [{ name: 'agent', image: 'registry.example.com/agent:1' }] } },
    },
  ],
};

const Workflow = z.strictObject({
  on: z.unknown(),
  jobs: z.record(
    z.string(),
    z.strictObject({
      'runs-on': z.union([z.string().transform((label) => [label]), z.array(z.string())]),
      steps: z.array(z.strictObject({ run: z.string() })).min(1),
    }),
  ),
});

const valuesPage = 'docs/install-helm.md';
const pages = ['README.md', ...readdirSync(join(rootFolder, 'docs')).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, blocks: yamlBlocks(readFileSync(join(rootFolder, name), 'utf8')) }))
  .filter(({ blocks }) => blocks.length > 0);
const documents = pages.filter(({ name }) => name !== valuesPage);

/** The fenced blocks, by their line numbers, without the indentation of a surrounding list. */
function yamlBlocks(markdown: string): { line: number; text: string }[] {
  return [...markdown.matchAll(/^( *)```yaml\n(.*?)^ *```$/gms)].map(({ 1: indent = '', 2: text = '', index }) => ({
    line: markdown.slice(0, index).split('\n').length,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

function isWorkflow({ text }: { text: string }): boolean {
  return /^(jobs|steps):/m.test(text);
}

/** An excerpt consists of some keys of davit.yaml, or is a list of profiles. */
const Excerpt = z.union([
  z.array(z.looseObject({})).transform((profiles) => ({ profiles })),
  z.looseObject({ profiles: z.array(z.unknown()).optional() }),
]);

function configOf(text: string) {
  const given = Excerpt.parse(parse(text));
  return parseConfig(stringify({ ...usual, ...given }), 'davit.yaml');
}

test('the guides have excerpts of davit.yaml', () => {
  expect(documents.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'docs/github.md',
      'docs/gitea.md',
      'docs/jenkins.md',
      'docs/buildkite.md',
      'docs/forgejo.md',
      'docs/gitlab.md',
    ]),
  );
});

describe.each(documents)('$name', ({ blocks }) => {
  test.each(blocks.filter((block) => !isWorkflow(block)))('davit reads the davit.yaml of line $line', ({ text }) => {
    expect(() => configOf(text)).not.toThrow();
  });
  test.each(blocks.filter((block) => !isWorkflow(block)))(
    'the functions read the same from its JSON: line $line',
    ({ text }) => {
      const config = configOf(text);

      expect(JSON.parse(JSON.stringify(config))).toStrictEqual(config);
    },
  );
});

describe(valuesPage, () => {
  const { blocks = [] } = pages.find(({ name }) => name === valuesPage) ?? {};
  const validate = new Ajv2020({ strict: false, formats: { uri: true } }).compile(chartValuesSchema());

  test('has values of the chart', () => {
    expect(blocks.length).toBeGreaterThan(1);
  });

  test.each(blocks)('the chart takes the values of line $line, and davit their davit.yaml', ({ text }) => {
    const { config = usual, ...values } = z.looseObject({ config: z.looseObject({}).optional() }).parse(parse(text));

    validate({ config, ...values });

    expect(validate.errors ?? []).toEqual([]);
    expect(() => parseConfig(stringify(config), 'davit.yaml')).not.toThrow();
  });
});

test.each([
  { name: 'docs/github.md', provider: 'github' as const },
  { name: 'docs/gitea.md', provider: 'gitea' as const },
])('the profiles of $name take the jobs of its workflow', ({ name, provider }) => {
  const { blocks } = documents.find((document) => document.name === name) ?? { blocks: [] };
  const profiles = blocks
    .filter((block) => !isWorkflow(block))
    .flatMap(({ text }) => configOf(text).profiles)
    .filter((profile) => profile.name !== 'usual');

  const jobs = blocks.filter(isWorkflow).flatMap(({ text }) => Object.values(Workflow.parse(parse(text)).jobs));

  expect(jobs).toHaveLength(1);
  for (const job of jobs) {
    const first = { labels: job['runs-on'], repository: { owner: 'acme', name: 'app' } };
    expect(matchProfile(profiles, { provider }, first).profile?.runner).toBe(provider);
  }
});
