import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as z from 'zod';

const require = createRequire(import.meta.url);

const Description = z.looseObject({
  components: z.looseObject({ examples: z.record(z.string(), z.looseObject({ value: z.unknown() })) }),
});
const Payload = z.looseObject({ action: z.string(), workflow_job: z.looseObject({ run_attempt: z.int() }) });
const Webhooks = z.array(z.looseObject({ name: z.string(), examples: z.array(z.unknown()) }));

/** Takes the examples that the modules of a folder use, as `example('job')`, out of GitHub's description of its API. */
export function apiExamples(folder: string): Record<string, unknown> {
  const sources = globSync(`${folder}/*.ts`).map((path) => readFileSync(path, 'utf8'));
  const names = Array.from(sources.join('\n').matchAll(/\bexample\('([\w-]+)'\)/g), ([, name = '']) => name);
  const path = require.resolve('@octokit/openapi/generated/api.github.com.json');
  const { examples } = Description.parse(JSON.parse(readFileSync(path, 'utf8'))).components;
  return Object.fromEntries(names.toSorted().map((name) => [name, examples[name]?.value]));
}

/** Takes the first webhook of a job for each action out of GitHub's examples. */
export function webhookExamples(): Record<string, unknown> {
  const webhooks = Webhooks.parse(require('@octokit/webhooks-examples'));
  const examples = webhooks.find(({ name }) => name === 'workflow_job')?.examples ?? [];
  const payloads = examples.flatMap((example) => Payload.safeParse(example).data ?? []);
  const actions = ['queued', 'in_progress', 'completed'];
  return Object.fromEntries(actions.map((action) => [action, payloads.find((payload) => payload.action === action)]));
}
