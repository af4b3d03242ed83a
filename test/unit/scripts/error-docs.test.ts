import { globSync, readFileSync } from 'node:fs';
import { functionFolders } from '../../../cdk/bundling.ts';
import { errorCodes } from '../../../core/errors/error-codes.ts';
import { errorSections } from '../../../scripts/error-docs.ts';
import { withParts } from '../../../scripts/written-parts.ts';

const table = 'core/errors/error-codes.ts';
const document = readFileSync('docs/errors.md', 'utf8');

/** The source text of every place that can give an error its code. */
const sources = globSync(`{${functionFolders.join()}}/**/*.ts`)
  .filter((file) => file !== table)
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

test('docs/errors.md matches the table of error codes', () => {
  expect(document).toBe(withParts(document, errorSections()));
});

test('docs/errors.md has one entry for each code, and no other', () => {
  const entries = [...document.matchAll(/^### (.+)$/gm)].map(([, code]) => code);

  expect(new Set(entries)).toEqual(new Set(Object.keys(errorCodes)));
  expect(entries).toHaveLength(Object.keys(errorCodes).length);
});

describe.each(Object.entries(errorCodes))('%s', (code, { means, advice }) => {
  test('appears in the code: the table has no unused entry', () => {
    expect(sources).toContain(`'${code}'`);
  });

  test('has a meaning and advice in whole sentences', () => {
    expect(means).toMatch(/^[A-Z].*\.$/s);
    expect(advice).toMatch(/^[A-Z].*\.$/s);
  });
});
