import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { parseConfig } from '../../../core/config/read-config.ts';
import { matchProfile } from '../../../core/job/match-profile.ts';
import { chartValuesSchema } from '../../../scripts/chart/chart-files.ts';
import { blocksOf } from '../../support/shell-blocks.ts';
import { presentDocuments, read } from './documents.ts';

const usualSystem = (provider: string, more: object) => ({
  name: provider,
  provider,
  webhookSecret: 'hook',
  tokenSecret: 'token',
  ...more,
});

/** The parts of a davit.yaml that excerpts omit. */
const usual = {
  clusters: ['builds', 'overflow'].map((name) => ({ name, kubeconfigSecret: `davit-kubeconfig-${name}` })),
  ciSystems: [
    { name: 'github', provider: 'github', webhookSecret: 'hook', app: { id: 1, privateKeySecret: 'key' } },
    usualSystem('gitea', { url: 'https://gitea.example.com' }),
    usualSystem('jenkins', { url: 'https://jenkins.example.com', user: 'davit' }),
    usualSystem('forgejo', { url: 'https://forgejo.example.com', scope: 'orgs/acme' }),
    usualSystem('buildkite', { organization: 'acme' }),
    usualSystem('gitlab', { group: 'acme' }),
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
const pages = presentDocuments
  .filter((name) => name === 'README.md' || /^docs\/[^/]+$/.test(name))
  .map((name) => ({ name, blocks: blocksOf(read(name), 'yaml') }))
  .filter(({ blocks }) => blocks.length > 0);
const documents = pages.filter(({ name }) => name !== valuesPage);

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
  const guides = usual.ciSystems.map(({ provider }) => `docs/${provider}.md`);

  expect(documents.map(({ name }) => name)).toEqual(expect.arrayContaining(guides));
});

describe.each(documents)('$name', ({ blocks }) => {
  test.each(blocks.filter((block) => !isWorkflow(block)))(
    'davit reads the davit.yaml of line $line, and the functions read the same from its JSON',
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
