import { isAllowed, type Statement } from './role-policies.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/davit-launches';
const reading: Statement = { Effect: 'Allow', Action: ['dynamodb:GetItem'], Resource: [table] };
const denying: Statement = { Effect: 'Deny', Action: ['dynamodb:*'], Resource: ['*'] };

test.each([
  { statements: [reading], action: 'dynamodb:GetItem', resource: table, allowed: true },
  { statements: [reading], action: 'dynamodb:PutItem', resource: table, allowed: false },
  { statements: [reading], action: 'dynamodb:GetItem', resource: `${table}-2`, allowed: false },
  { statements: [reading, denying], action: 'dynamodb:GetItem', resource: table, allowed: false },
  { statements: [], action: 'dynamodb:GetItem', resource: table, allowed: false },
])('$action on $resource by $statements.length statements: allowed is $allowed', async (asked) => {
  expect(await isAllowed(asked.statements, asked)).toBe(asked.allowed);
});

test('an action that AWS does not have is an error, not a refusal', async () => {
  const asked = isAllowed([reading], { action: 'dynamodb:ReadItem', resource: table });

  await expect(asked).rejects.toThrow(/dynamodb:ReadItem/);
});

test('a resource that the action does not support is an error, not a refusal', async () => {
  const asked = isAllowed([reading], { action: 'dynamodb:GetItem', resource: 'arn:aws:sqs:us-east-1:000000000000:q' });

  await expect(asked).rejects.toThrow(/arn:aws:sqs/);
});
