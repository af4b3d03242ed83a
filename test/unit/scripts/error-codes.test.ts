import { globSync, readFileSync } from 'node:fs';
import { functionFolders } from '../../../cdk/bundling.ts';
import { errorCodes } from '../../../core/errors/error-codes.ts';

const table = 'core/errors/error-codes.ts';

/** The source text of every place that can give an error its code. */
const sources = globSync(`{${functionFolders.join()}}/**/*.ts`)
  .filter((file) => file !== table)
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n');

describe.each(Object.entries(errorCodes))('%s', (code, { means, advice }) => {
  test('appears in the code: the table has no unused entry', () => {
    expect(sources).toContain(`'${code}'`);
  });

  test('has a meaning and advice in whole sentences', () => {
    expect(means).toMatch(/^[A-Z].*\.$/s);
    expect(advice).toMatch(/^[A-Z].*\.$/s);
  });
});
