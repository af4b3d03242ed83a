import { deleteStack, executeChangeSet, makeChangeSet, settleStack } from '../../../../cli/deploy/deploy-stack.ts';
import { type FakeStack, fakeStack, type StackLook } from '../../../support/fake-stack.ts';

function depsOf(stack: FakeStack) {
  const lines: string[] = [];
  const pauses: number[] = [];
  return {
    stack,
    lines,
    pauses,
    tell: (line: string) => void lines.push(line),
    pause: async (ms: number) => void pauses.push(ms),
  };
}

async function agree() {}

const began = { events: [{ status: 'UPDATE_IN_PROGRESS', reason: 'User Initiated' }] };
const set = { id: 'set-1', status: 'CREATE_COMPLETE', changes: [] };

describe('a stack that a deployment finds', () => {
  test.each(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'])(
    '%s is updated as it is',
    async (status) => {
      const deps = depsOf(fakeStack([{ status }]));

      expect(await settleStack(deps, agree)).toMatchObject({ status });
      expect(deps.stack.changes).toEqual([]);
    },
  );

  test.each(['REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'DELETE_FAILED'])(
    '%s is deleted, since it holds no davit',
    async (status) => {
      const deps = depsOf(fakeStack([{ status }, { status: 'DELETE_COMPLETE' }, undefined]));

      expect(await settleStack(deps, agree)).toBeUndefined();
      expect(deps.stack.changes).toEqual(['delete']);
      expect(deps.lines[0]).toBe(`the stack is ${status}, and holds no davit`);
    },
  );

  test('is not deleted without consent, except one without resources', async () => {
    const refuse = () => Promise.reject(new Error('no'));
    const failed = depsOf(fakeStack([{ status: 'ROLLBACK_COMPLETE' }]));
    const empty = depsOf(fakeStack([{ status: 'REVIEW_IN_PROGRESS' }, { status: 'DELETE_COMPLETE' }]));

    await expect(settleStack(failed, refuse)).rejects.toThrow('no');
    expect(await settleStack(empty, refuse)).toBeUndefined();
    expect([failed.stack.changes, empty.stack.changes]).toEqual([[], ['delete']]);
  });

  test('that somebody else is updating is waited for', async () => {
    const ended: StackLook = { status: 'UPDATE_COMPLETE', events: [{ status: 'UPDATE_COMPLETE' }] };
    const deps = depsOf(
      fakeStack([{ status: 'UPDATE_IN_PROGRESS', ...began }, { status: 'UPDATE_IN_PROGRESS' }, ended]),
    );

    expect(await settleStack(deps, agree)).toMatchObject({ status: 'UPDATE_COMPLETE' });
    expect(deps.lines).toEqual([
      'the stack is UPDATE_IN_PROGRESS: waiting until CloudFormation has finished',
      '10:00:01  UPDATE_COMPLETE     AWS::CloudFormation::Stack  Davit',
    ]);
    expect(deps.pauses).toEqual([2000]);
  });

  test('whose rollback failed is left to a person, with the command', async () => {
    const deps = depsOf(fakeStack([{ status: 'UPDATE_ROLLBACK_FAILED', reason: 'a queue is gone' }]));

    await expect(settleStack(deps, agree)).rejects.toMatchObject({
      code: 'stack-stuck',
      message: 'the stack is UPDATE_ROLLBACK_FAILED, and cannot be updated: a queue is gone',
      advice: expect.stringMatching(/continue-update-rollback --stack-name arn:/),
    });
  });

  test('that cannot be deleted is no endless loop', async () => {
    const failed: StackLook = {
      status: 'DELETE_FAILED',
      events: [{ status: 'DELETE_FAILED', reason: 'a table is protected' }],
    };
    const deps = depsOf(fakeStack([{ status: 'ROLLBACK_COMPLETE' }, failed, failed]));

    await expect(settleStack(deps, agree)).rejects.toMatchObject({
      code: 'stack-failed',
      message: /a table is protected/,
    });
  });
});

describe('a change set', () => {
  test('is waited for', async () => {
    const deps = depsOf(fakeStack([], [{ status: 'CREATE_PENDING' }, { status: 'CREATE_IN_PROGRESS' }, {}]));

    expect(await makeChangeSet(deps, 'UPDATE', 'https://b/t')).toMatchObject({
      id: 'set-1',
      status: 'CREATE_COMPLETE',
    });
    expect(deps.stack.changes).toEqual(['create change set UPDATE https://b/t']);
    expect(deps.pauses).toEqual([1000, 1000]);
  });

  test.each([
    "The submitted information didn't contain changes. Submit different information to create a change set.",
    'No updates are to be performed.',
  ])('without changes is deleted: %s', async (reason) => {
    const deps = depsOf(fakeStack([], [{ status: 'FAILED', reason }]));

    expect(await makeChangeSet(deps, 'UPDATE', 'https://b/t')).toBeUndefined();
    expect(deps.stack.changes.at(-1)).toBe('delete change set set-1');
  });

  test("that fails is deleted, and says CloudFormation's reason", async () => {
    const deps = depsOf(fakeStack([], [{ status: 'FAILED', reason: 'Template format error' }]));

    await expect(makeChangeSet(deps, 'CREATE', 'https://b/t')).rejects.toMatchObject({
      code: 'change-set-failed',
      message: 'the change set is FAILED: Template format error',
    });
    expect(deps.stack.changes.at(-1)).toBe('delete change set set-1');
  });
});

describe('an execution', () => {
  test('whose beginning CloudFormation does not show yet is not taken for its end', async () => {
    const done: StackLook = { status: 'UPDATE_COMPLETE', events: [{ status: 'UPDATE_COMPLETE' }] };
    const before = { status: 'UPDATE_COMPLETE' };
    const deps = depsOf(fakeStack([before, { status: 'UPDATE_IN_PROGRESS', ...began }, done]));

    expect(await executeChangeSet(deps, set, 'arn:stack')).toMatchObject({ status: 'UPDATE_COMPLETE' });
    expect(deps.lines).toEqual([
      '10:00:00  UPDATE_IN_PROGRESS  AWS::CloudFormation::Stack  Davit  User Initiated',
      '10:00:01  UPDATE_COMPLETE     AWS::CloudFormation::Stack  Davit',
    ]);
  });

  test('that fails says the reason of the first resource, not of those that were cancelled', async () => {
    const type = 'AWS::Lambda::Function';
    const events = [
      { status: 'CREATE_FAILED', type, logicalId: 'DavitProbe0A1B2C3D', reason: 'Resource creation cancelled' },
      { status: 'CREATE_FAILED', type, logicalId: 'DavitSweep0A1B2C3D', reason: 'The role may not be assumed' },
      { status: 'ROLLBACK_IN_PROGRESS', reason: 'The following resource(s) failed to create: [DavitSweep0A1B2C3D].' },
      { status: 'DELETE_SKIPPED', type: 'AWS::DynamoDB::Table', physicalId: 'Davit-Tokens-1' },
    ];
    const deps = depsOf(
      fakeStack([
        { status: 'CREATE_IN_PROGRESS', ...began },
        { status: 'ROLLBACK_COMPLETE', events },
      ]),
    );

    await expect(executeChangeSet(deps, set, 'arn:stack')).rejects.toMatchObject({
      reason: 'failed',
      message: 'AWS::Lambda::Function DavitSweep: The role may not be assumed; the stack is ROLLBACK_COMPLETE',
      advice: expect.stringMatching(/begins with a new stack/),
    });
    expect(deps.lines.at(-1)).toBe('kept: AWS::DynamoDB::Table: Davit-Tokens-1');
  });

  test('of an update that is rolled back says that the old davit is there again', async () => {
    const deps = depsOf(
      fakeStack([{ status: 'UPDATE_IN_PROGRESS', ...began }, { status: 'UPDATE_ROLLBACK_COMPLETE' }]),
    );

    await expect(executeChangeSet(deps, set, 'arn:stack')).rejects.toMatchObject({
      message: 'the stack is UPDATE_ROLLBACK_COMPLETE',
      advice: expect.stringMatching(/has restored what was there before/),
    });
  });
});

test('a deletion names what CloudFormation keeps', async () => {
  const events = [
    { status: 'DELETE_SKIPPED', type: 'AWS::DynamoDB::Table', physicalId: 'Davit-Tokens-1' },
    { status: 'DELETE_SKIPPED', type: 'AWS::DynamoDB::Table', physicalId: 'Davit-Jobs-1' },
    { status: 'DELETE_COMPLETE', type: 'AWS::SQS::Queue', physicalId: 'gone' },
  ];
  const deps = depsOf(fakeStack([{ status: 'DELETE_IN_PROGRESS', events }, { status: 'DELETE_COMPLETE' }]));

  expect([...(await deleteStack(deps, 'arn:stack'))]).toEqual([
    ['AWS::DynamoDB::Table', ['Davit-Tokens-1', 'Davit-Jobs-1']],
  ]);
});
