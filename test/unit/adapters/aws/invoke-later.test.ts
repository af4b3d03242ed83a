import { createInvokeLater, createLambdaClient } from '../../../../adapters/aws/invoke-later.ts';
import type { InvokeLater } from '../../../../ports/invoke-later.ts';
import { awsError, type ScriptedAnswer, scriptedAwsOfTests } from '../../../support/start-scripted-aws.ts';

const aws = scriptedAwsOfTests();

async function invokeAnswered(answer: ScriptedAnswer): Promise<InvokeLater<'clean-up'>> {
  const client = createLambdaClient((await aws.start(answer)).settings);
  return createInvokeLater({ client, functionNames: { 'clean-up': 'Davit-CleanUp' } });
}

test('a function is invoked asynchronously, with its event', async () => {
  const invokeLater = await invokeAnswered({ status: 202, body: '' });

  await invokeLater('clean-up', { launchId: 'job' });

  expect(aws.requests).toMatchObject([
    {
      path: '/2015-03-31/functions/Davit-CleanUp/invocations',
      headers: { 'x-amz-invocation-type': 'Event' },
      body: '{"launchId":"job"}',
    },
  ]);
});

test('a request that Lambda throttles may be repeated', async () => {
  const invokeLater = await invokeAnswered(awsError(429, 'TooManyRequestsException', 'Rate Exceeded.'));

  await expect(invokeLater('clean-up', { launchId: 'job' })).rejects.toMatchObject({
    name: 'TransientError',
    code: 'StoreUnavailable',
  });
});

test('a missing function fails the request', async () => {
  const invokeLater = await invokeAnswered(awsError(404, 'ResourceNotFoundException', 'Function not found'));

  await expect(invokeLater('clean-up', { launchId: 'job' })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});
