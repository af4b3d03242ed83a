import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootFolder } from '../../cdk/bundling.ts';
import { recordRetentionSeconds } from '../../core/retention.ts';
import { propertiesOf, resourcesOf, synthesise } from './synthesise.ts';

const document = readFileSync(join(rootFolder, 'docs/operations.md'), 'utf8');
const template = synthesise();
const daySeconds = 24 * 3600;

/** The retention that the table of docs/operations.md states. */
function keptFor(what: string): string {
  const row = document.split('\n').find((line) => line.startsWith(`| ${what} | `));
  return row?.split(' | ')[2] ?? `docs/operations.md has no retention of ${what}`;
}

describe('docs/operations.md says how long davit keeps', () => {
  test.each(['launches', 'jobs', 'tokens'])('%s', (what) => {
    expect(keptFor(what)).toMatch(new RegExp(`^${recordRetentionSeconds / daySeconds} days `));
  });

  test('logs', () => {
    const days = new Set(propertiesOf(template, 'AWS::Logs::LogGroup').map(({ RetentionInDays }) => RetentionInDays));

    expect([...days].map((each) => `${String(each)} days (\`logRetention\`)`)).toEqual([
      keptFor('logs of functions and of the API'),
    ]);
  });

  test('messages that failed', () => {
    const seconds = new Set(propertiesOf(template, 'AWS::SQS::Queue').map((queue) => queue['MessageRetentionPeriod']));

    expect([...seconds].map((each) => `${Number(each) / daySeconds} days`)).toEqual([keptFor('messages that failed')]);
  });
});

test('docs/operations.md names every table, and each can be restored to a point in time', () => {
  const restorable = { PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } };
  const tables = [...resourcesOf(template, 'AWS::DynamoDB::Table').keys()];
  for (const properties of propertiesOf(template, 'AWS::DynamoDB::Table')) expect(properties).toMatchObject(restorable);
  const named = [...new Set(Array.from(document.matchAll(/^\| (\w+Table) \|/gm), ([, name = '']) => name))];

  expect(named).toHaveLength(tables.length);
  for (const id of tables) expect(named.some((name) => id.includes(name))).toBe(true);
});
