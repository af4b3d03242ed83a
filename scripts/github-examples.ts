import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
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
  return Object.fromEntries(names.toSorted().map((name) => [name, shortened(examples[name]?.value)]));
}

/** Takes the first webhook of a job for each action out of GitHub's examples, and what they have in common once. */
export function webhookExamples(): Record<string, unknown> {
  const webhooks = Webhooks.parse(require('@octokit/webhooks-examples'));
  const examples = webhooks.find(({ name }) => name === 'workflow_job')?.examples ?? [];
  const payloads = examples.flatMap((example) => Payload.safeParse(example).data ?? []);
  const first = (isMeant: (payload: z.infer<typeof Payload>) => boolean) => payloads.find(isMeant);
  const jobOf = (name: string) => shortened(first(({ action }) => action === name)?.workflow_job);
  const queued = jobOf('queued');
  return {
    repository: first(({ action }) => action === 'queued')?.repository,
    organization: first(({ organization }) => organization !== undefined)?.organization,
    sender: first(({ action }) => action === 'queued')?.sender,
    queued,
    in_progress: changesOf(queued, jobOf('in_progress')),
    completed: changesOf(queued, jobOf('completed')),
  };
}

/** The fields of a later object whose values are not those of an earlier one. */
function changesOf(earlier: unknown, later: unknown): unknown {
  const before = Object(earlier) as Record<string, unknown>;
  const after = Object.entries(Object(later) as Record<string, unknown>);
  return Object.fromEntries(after.filter(([key, value]) => !isDeepStrictEqual(value, before[key])));
}

/** The fields of a run that say what its fields `repository` and `actor` say. */
const repeating = ['head_repository', 'triggering_actor'];

/** Leaves in each list its first entry, as the others show nothing new, and out what an object says twice. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([key]) => !repeating.includes(key));
  return Object.fromEntries(fields.map(([key, each]) => [key, shortened(each)]));
}
