import { executionEnding } from '../../../../core/launch/execution-ending.ts';

test.each([
  {
    execution: { status: 'TIMED_OUT', error: 'States.Timeout', cause: 'too long' },
    message: 'ExecutionEnded: the execution ended as TIMED_OUT: States.Timeout: too long',
  },
  {
    execution: { status: 'ABORTED', error: null, cause: '' },
    message: 'ExecutionEnded: the execution ended as ABORTED',
  },
])('a launch whose execution ended as $execution fails with its words', ({ execution, message }) => {
  expect(executionEnding(execution, 1_767_225_600_000)).toEqual({
    outcome: 'failed',
    code: 'ExecutionEnded',
    message,
    by: 'Step Functions',
    actor: { kind: 'aws', name: 'Step Functions' },
    atEpochMs: 1_767_225_600_000,
  });
});
