import { readFile } from 'node:fs/promises';
import { configJsonSchema } from '../../../core/config/config-json-schema.ts';
import { errorDocs } from '../../../scripts/error-docs.ts';
import { eventDocs } from '../../../scripts/event-docs.ts';
import { openapiAnswer } from '../../../scripts/openapi/openapi-docs.ts';

test.each([
  { path: 'functions/describe-api/openapi.json', write: openapiAnswer },
  { path: 'docs/events.md', write: eventDocs },
  { path: 'docs/errors.md', write: errorDocs },
])('$path is what the code says, as `npm run check` proves', async ({ path, write }) => {
  expect(write()).toBe(await readFile(path, 'utf8'));
});

test('davit.schema.json is what the schemas say, as `npm run check` proves', async () => {
  const written = JSON.parse(await readFile('davit.schema.json', 'utf8'));

  expect({ title: 'davit.yaml', ...configJsonSchema() }).toEqual(written);
});
