import { createRegistrar } from '../../../../adapters/aws/create-registrar.ts';
import { createLambdaClient } from '../../../../adapters/aws/invoke-later.ts';
import { awsError, awsOutput, type ScriptedAnswer, scriptedAwsOfTests } from '../../../support/start-scripted-aws.ts';

const agent = { launchId: 'job', agentName: 'davit-job' };
const registered = { outcome: 'registered', environment: { JOIN_WITH: 'a secret' } };

const aws = scriptedAwsOfTests();

async function registerAnswered(answer: ScriptedAnswer) {
  const client = createLambdaClient((await aws.start(answer)).settings);
  return createRegistrar({ client, functionName: 'register-runner' }).register(agent, 'nonce');
}

test('the function is invoked, and its answer is awaited', async () => {
  const outcome = await registerAnswered(awsOutput(registered));

  expect(outcome).toEqual(registered);
  expect(aws.requests).toMatchObject([{ path: '/2015-03-31/functions/register-runner/invocations' }]);
  expect(JSON.parse(aws.requests[0]?.body ?? '')).toEqual({ ...agent, nonce: 'nonce' });
  expect(aws.requests[0]?.headers['x-amz-invocation-type'] ?? 'RequestResponse').toBe('RequestResponse');
});

test.each([
  [
    'a function that fails',
    {
      status: 200,
      body: JSON.stringify({ errorType: 'TransientError', errorMessage: 'a secret' }),
      headers: { 'x-amz-function-error': 'Unhandled' },
    },
  ],
  ['an answer of another shape', awsOutput({ outcome: 'registered', environment: 'a secret' })],
  ['an answer that is not JSON', { status: 200, body: 'a secret' }],
  ['a Lambda that throttles', awsError(429, 'TooManyRequestsException', 'Rate Exceeded.')],
] as [string, ScriptedAnswer][])('%s allows one retry, and no error contains the answer', async (_what, answer) => {
  const [outcome] = await Promise.allSettled([registerAnswered(answer)]);

  expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'TransientError', code: 'StoreUnavailable' } });
  expect(String(outcome?.status === 'rejected' && outcome.reason)).not.toContain('a secret');
  expect(aws.requests).toHaveLength(1);
});
