import { createRegistrar } from '../../../../adapters/aws/create-registrar.ts';
import { createLambdaClient } from '../../../../adapters/aws/invoke-later.ts';
import {
  awsError,
  awsOutput,
  type ScriptedAnswer,
  type ScriptedAws,
  startScriptedAws,
} from '../../../support/start-scripted-aws.ts';

const agent = { launchId: 'job', agentName: 'davit-job' };
const registered = { outcome: 'registered', environment: { JOIN_WITH: 'a secret' } };

let service: ScriptedAws | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

async function registerAnswered(answer: ScriptedAnswer) {
  service = await startScriptedAws([answer]);
  const client = createLambdaClient({ ...service.settings, maxAttempts: 1 });
  return createRegistrar({ client, functionName: 'register-runner' }).register(agent, 'nonce');
}

test('the function is invoked, and its answer is awaited', async () => {
  const outcome = await registerAnswered(awsOutput(registered));

  expect(outcome).toEqual(registered);
  expect(service?.requests).toMatchObject([{ path: '/2015-03-31/functions/register-runner/invocations' }]);
  expect(JSON.parse(service?.requests[0]?.body ?? '')).toEqual({ ...agent, nonce: 'nonce' });
  expect(service?.requests[0]?.headers['x-amz-invocation-type'] ?? 'RequestResponse').toBe('RequestResponse');
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
  expect(service?.requests).toHaveLength(1);
});
