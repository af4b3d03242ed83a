import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as z from 'zod';

const require = createRequire(import.meta.url);

const Description = z.looseObject({
  components: z.looseObject({ examples: z.record(z.string(), z.looseObject({ value: z.unknown() })) }),
});
const Payload = z.looseObject({
  action: z.string(),
  workflow_job: z.looseObject({ run_attempt: z.int() }),
  repository: z.unknown().optional(),
  organization: z.unknown().optional(),
  sender: z.unknown().optional(),
});
const Webhooks = z.array(z.looseObject({ name: z.string(), examples: z.array(z.unknown()) }));

/** Takes the examples that the modules of a folder use, as `example('job')`, out of GitHub's description of its API. */
export function apiExamples(folder: string): Record<string, unknown> {
  const sources = globSync(`${folder}/*.ts`).map((path) => readFileSync(path, 'utf8'));
  const names = Array.from(sources.join('\n').matchAll(/\bexample\('([\w-]+)'\)/g), ([, name = '']) => name);
  const path = require.resolve('@octokit/openapi/generated/api.github.com.json');
  const { examples } = Description.parse(JSON.parse(readFileSync(path, 'utf8'))).components;
  return Object.fromEntries(names.toSorted().map((name) => [name, withShortLists(examples[name]?.value)]));
}

/** Takes the first webhook of a job for each action out of GitHub's examples, and what all of them have in common once. */
export function webhookExamples(): Record<string, unknown> {
  const webhooks = Webhooks.parse(require('@octokit/webhooks-examples'));
  const examples = webhooks.find(({ name }) => name === 'workflow_job')?.examples ?? [];
  const payloads = examples.flatMap((example) => Payload.safeParse(example).data ?? []);
  const first = (isMeant: (payload: z.infer<typeof Payload>) => boolean) => payloads.find(isMeant);
  const actions = ['queued', 'in_progress', 'completed'];
  return {
    repository: first(({ action }) => action === 'queued')?.repository,
    organization: first(({ organization }) => organization !== undefined)?.organization,
    sender: first(({ action }) => action === 'queued')?.sender,
    jobs: Object.fromEntries(
      actions.map((name) => [name, withShortLists(first(({ action }) => action === name)?.workflow_job)]),
    ),
  };
}

/** Leaves in each list its first entry, as the others show nothing new. */
function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(withShortLists);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withShortLists(each)]));
}
