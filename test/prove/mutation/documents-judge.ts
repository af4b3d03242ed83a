import { readFile } from 'node:fs/promises';
import { configJsonSchema } from '../../../core/config/config-json-schema.ts';
import { errorSections } from '../../../scripts/error-docs.ts';
import { eventParts } from '../../../scripts/event-docs.ts';
import { openapiAnswer } from '../../../scripts/openapi/openapi-docs.ts';
import { withParts } from '../../../scripts/written-parts.ts';

test.each([
  { path: 'functions/describe-api/openapi.json', write: openapiAnswer },
  { path: 'docs/events.md', write: (there: string) => withParts(there, ...eventParts()) },
  { path: 'docs/errors.md', write: (there: string) => withParts(there, errorSections()) },
])('$path is what the code says, as `npm run check` proves', async ({ path, write }) => {
  const there = await readFile(path, 'utf8');

  expect(write(there)).toBe(there);
});

test('davit.schema.json is what the schemas say, as `npm run check` proves', async () => {
  const written = JSON.parse(await readFile('davit.schema.json', 'utf8'));

  expect({ title: 'davit.yaml', ...configJsonSchema() }).toEqual(written);
});
