import { changeLines, newStackLines, readableId, retainedIds } from '../../../../cli/deploy/change-words.ts';
import type { StackChange } from '../../../../cli/deploy/stack-port.ts';

const change = (given: Partial<StackChange>): StackChange => ({
  action: 'Modify',
  logicalId: 'DavitWebhookFunction0A1B2C3D',
  type: 'AWS::Lambda::Function',
  properties: [],
  ...given,
});

test("a logical id is read without the CDK's digest", () => {
  expect(['DavitSweep0A1B2C3D', 'WebhookUrlgithub', '0A1B2C3D'].map(readableId)).toEqual([
    'DavitSweep',
    'WebhookUrlgithub',
    '0A1B2C3D',
  ]);
});

test('what is replaced or removed comes first, and each line says what changes', () => {
  const lines = changeLines([
    change({ action: 'Add', type: 'AWS::SQS::Queue', logicalId: 'DavitNew0A1B2C3D' }),
    change({ replacement: 'False', properties: ['Code', 'Environment'] }),
    change({ action: 'Remove', type: 'AWS::SNS::Topic', logicalId: 'DavitOld0A1B2C3D', policy: 'Delete' }),
    change({ action: 'Remove', type: 'AWS::DynamoDB::Table', logicalId: 'DavitTable0A1B2C3D', policy: 'Retain' }),
    change({ replacement: 'True', type: 'AWS::DynamoDB::Table', properties: ['KeySchema'] }),
    change({ replacement: 'Conditional', type: 'AWS::IAM::Role' }),
  ]);

  expect(lines).toEqual([
    '! AWS::DynamoDB::Table  DavitWebhookFunction  is replaced: KeySchema',
    '! AWS::IAM::Role  DavitWebhookFunction  may be replaced',
    '- AWS::SNS::Topic  DavitOld',
    '○ AWS::DynamoDB::Table  DavitTable',
    '~ AWS::Lambda::Function  DavitWebhookFunction  Code, Environment',
    '+ AWS::SQS::Queue  DavitNew',
    '2 to replace, 1 to remove, 1 to leave the stack and keep, 1 to change, 1 to add',
  ]);
});

test('a change of outputs alone is no change of resources', () => {
  expect(changeLines([])).toEqual(['no resource changes']);
});

const template = JSON.stringify({
  Resources: {
    B: { Type: 'AWS::SQS::Queue' },
    A: { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'Retain' },
    C: { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'RetainExceptOnCreate' },
    D: { Type: 'AWS::SQS::Queue', DeletionPolicy: 'Delete' },
  },
});

test('a new stack is counted by type', () => {
  expect(newStackLines(template)).toEqual(['+   2 × AWS::DynamoDB::Table', '+   2 × AWS::SQS::Queue', '4 to add']);
});

test('the resources that outlive a stack are those that its template retains', () => {
  expect([...retainedIds(template)]).toEqual([['AWS::DynamoDB::Table', ['A', 'C']]]);
});
