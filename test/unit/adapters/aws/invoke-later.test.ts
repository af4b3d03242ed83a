import { createLambdaClient, invokeLater } from '../../../../adapters/aws/invoke-later.ts';
import type { Invoke } from '../../../../logic/requests.ts';
import {
  awsError,
  type ScriptedAnswer,
  type ScriptedAws,
  startScriptedAws,
} from '../../../support/start-scripted-aws.ts';

let service: ScriptedAws | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

async function invokeAnswered(answer: ScriptedAnswer): Promise<Invoke> {
  service = await startScriptedAws([answer]);
  const client = createLambdaClient(service.settings);
  return (event) => invokeLater({ client, functionName: 'clean-up' }, event);
}

test('a function is invoked asynchronously, with its event', async () => {
  const invoke = await invokeAnswered({ status: 202, body: '' });

  await invoke({ launchId: 'job' });

  expect(service?.requests).toMatchObject([
    {
      path: '/2015-03-31/functions/clean-up/invocations',
      headers: { 'x-amz-invocation-type': 'Event' },
      body: '{"launchId":"job"}',
    },
  ]);
});

test('a request that Lambda throttles may be repeated', async () => {
  const invoke = await invokeAnswered(awsError(429, 'TooManyRequestsException', 'Rate Exceeded.'));

  await expect(invoke({ launchId: 'job' })).rejects.toMatchObject({ name: 'TransientError', code: 'StoreUnavailable' });
});

test('a missing function fails the request', async () => {
  const invoke = await invokeAnswered(awsError(404, 'ResourceNotFoundException', 'Function not found'));

  await expect(invoke({ launchId: 'job' })).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
