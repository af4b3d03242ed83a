import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { errorCodes } from '../../../functions/domain/error-codes.ts';
import { errorDocs } from '../../../scripts/error-docs.ts';

const table = 'functions/domain/error-codes.ts';
const document = readFileSync('docs/errors.md', 'utf8');

/** The text of everything that can give an error its code. */
const sources = readdirSync('functions', { recursive: true, encoding: 'utf8' })
  .map((file) => `functions/${file}`)
  .filter((file) => file.endsWith('.ts') && file !== table)
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

test('docs/errors.md is what the table of error codes makes', () => {
  expect(document).toBe(errorDocs());
});

test('docs/errors.md has one entry for each code, and no other', () => {
  const entries = [...document.matchAll(/^### (.+)$/gm)].map(([, code]) => code);

  expect(new Set(entries)).toEqual(new Set(Object.keys(errorCodes)));
  expect(entries).toHaveLength(Object.keys(errorCodes).length);
});

describe.each(Object.entries(errorCodes))('%s', (code, { means, advice }) => {
  test('is given by the code: the table has no entry that nothing leads to', () => {
    expect(sources).toContain(`'${code}'`);
  });

  test('says what it means and what to do in whole sentences', () => {
    expect(means).toMatch(/^[A-Z].*\.$/s);
    expect(advice).toMatch(/^[A-Z].*\.$/s);
  });
});
