import { awsError, calling } from '../../../cli/api/aws-error.ts';
import { CliError } from '../../../cli/cli-error.ts';

function errorOf(name: string, message: string, more: object = {}): Error {
  return Object.assign(new Error(message), { name, ...more });
}

test.each([
  ['a refusal', errorOf('AccessDenied', 'not allowed'), 'refused', /may call s3:PutObject/],
  ['an old session', errorOf('ExpiredTokenException', 'expired'), 'refused', /aws sts get-caller-identity/],
  ['a wrong request', errorOf('ValidationError', 'no', { $fault: 'client' }), 'failed', undefined],
  ['a limit', errorOf('ThrottlingException', 'slower', { $fault: 'client' }), 'unreachable', /Repeating is safe/],
  ['an error of AWS', errorOf('InternalFailure', 'oops', { $fault: 'server' }), 'unreachable', /Repeating is safe/],
  ['no answer', errorOf('TimeoutError', 'timed out'), 'unreachable', /Repeating is safe/],
  ['no region', errorOf('Error', 'Region is missing'), 'usage', /--region eu-central-1/],
])('%s has its exit code and advice', (_what, error, reason, advice) => {
  const made = awsError('the bucket b', 's3:PutObject', error);

  expect(made.reason).toBe(reason);
  expect(made.message).toMatch(/the bucket b/);
  if (advice === undefined) expect(made.advice).toBeUndefined();
  else expect(made.advice).toMatch(advice);
});

test('an error without a name of its own has a code all the same', () => {
  const refused = errorOf('Error', 'connect ECONNREFUSED 127.0.0.1:9');

  expect(awsError('the stack Davit', 'x', refused)).toMatchObject({ code: 'aws-unreachable', reason: 'unreachable' });
});

test('an error that is already one for a person passes', async () => {
  const own = new CliError('usage', 'code', 'message');

  await expect(calling('the stack', 'x', Promise.reject(own))).rejects.toBe(own);
});
