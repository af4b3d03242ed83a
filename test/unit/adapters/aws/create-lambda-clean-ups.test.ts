import { createLambdaCleanUps, createLambdaClient } from '../../../../adapters/aws/create-lambda-clean-ups.ts';
import type { CleanUps } from '../../../../ports/clean-ups.ts';
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

async function cleanUpsAnswered(answer: ScriptedAnswer): Promise<CleanUps> {
  service = await startScriptedAws([answer]);
  const client = createLambdaClient(service.settings);
  return createLambdaCleanUps({ client, functionName: 'clean-up' });
}

test("the clean-up function is invoked asynchronously, with nothing but the launch's id", async () => {
  const cleanUps = await cleanUpsAnswered({ status: 202, body: '' });

  await cleanUps.request('job');

  expect(service?.requests).toMatchObject([
    {
      path: '/2015-03-31/functions/clean-up/invocations',
      headers: { 'x-amz-invocation-type': 'Event' },
      body: '{"launchId":"job"}',
    },
  ]);
});

test('a request that Lambda throttles may be repeated', async () => {
  const cleanUps = await cleanUpsAnswered(awsError(429, 'TooManyRequestsException', 'Rate Exceeded.'));

  await expect(cleanUps.request('job')).rejects.toMatchObject({ name: 'TransientError', code: 'StoreUnavailable' });
});

test('a missing function fails the request', async () => {
  const cleanUps = await cleanUpsAnswered(awsError(404, 'ResourceNotFoundException', 'Function not found'));

  await expect(cleanUps.request('job')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
