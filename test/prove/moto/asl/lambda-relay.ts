import type { IncomingMessage, ServerResponse } from 'node:http';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';
import { readRequestBody } from '../../../../local/request-body.ts';
import { LOCAL_REGION } from '../../../support/aws/lambda/function-name.ts';
import type { LocalServices } from '../../../support/aws/runtime/function-environment.ts';

const maxBodyBytes = 6 * 1024 * 1024;

/** Starts a Lambda API that invokes a runtime's functions with the runtime's own key: moto signs with another one. */
export async function startLambdaRelay({ lambdaUrl, secretAccessKey }: LocalServices): Promise<LoopbackServer> {
  const credentials = { accessKeyId: 'local', secretAccessKey };
  const client = new LambdaClient({ endpoint: lambdaUrl, region: LOCAL_REGION, credentials, maxAttempts: 1 });
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const FunctionName = decodeURIComponent(request.url?.split('/')[3] ?? '');
      const Payload = await readRequestBody(request, maxBodyBytes);
      const answer = await client.send(new InvokeCommand({ FunctionName, Payload }));
      if (answer.FunctionError !== undefined) response.setHeader('x-amz-function-error', answer.FunctionError);
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer.Payload);
    } catch (error) {
      const name = error instanceof Error ? error.name : 'ServiceException';
      response.writeHead(400, { 'x-amzn-errortype': name }).end(JSON.stringify({ message: String(error) }));
    }
  };
  return await startLoopbackServer((request, response) => void relay(request, response));
}
