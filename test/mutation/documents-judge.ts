import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openapiDocs } from '../../scripts/openapi/openapi-docs.ts';

test('docs/openapi.yaml is what the schemas say, as `npm run check` proves', async () => {
  expect(openapiDocs()).toBe(await readFile('docs/openapi.yaml', 'utf8'));
});
