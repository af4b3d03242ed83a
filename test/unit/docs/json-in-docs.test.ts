import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import { rootFolder } from '../../../cdk/bundling.ts';
import { StandardEvent } from '../../../ci/standard-webhooks/read-standard-event.ts';
import { ClusterSummary } from '../../../functions/clusters/cluster-view-schema.ts';
import { JobList } from '../../../functions/jobs/queued-job-view-schema.ts';

const page = readFileSync(join(rootFolder, 'docs/api.md'), 'utf8');

/** The schema of each example of the HTTP API. */
const schemas: Readonly<Record<string, z.ZodMiniType>> = {
  'Standard Webhooks': StandardEvent,
  '`GET /jobs`': JobList,
  '`GET /clusters`': ClusterSummary,
};
const examples = [...page.matchAll(/^##+ (.*)\n(?:(?!^##).*\n)*?```json\n([^]*?)^```$/gm)].map(
  ([, heading = '', text = '']) => ({ heading, text }),
);

test('each example of the HTTP API has a schema', () => {
  expect(examples.map(({ heading }) => heading)).toEqual(Object.keys(schemas));
});

test.each(examples)('davit knows each field of the example of $heading', ({ heading, text }) => {
  const example: unknown = JSON.parse(text);

  const { data, error } = schemas[heading]?.safeParse(example) ?? {};

  expect(error?.issues ?? []).toEqual([]);
  expect(data).toMatchObject(example as object);
});
