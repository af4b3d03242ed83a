import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { LOCAL_REGION } from '../../local/lambda/function-name.ts';
import type { LocalServices } from '../../local/runtime/function-environment.ts';

/** Invokes a runtime's sweep function through Lambda's API, as an operator does. @returns its parsed answer */
export async function invokeSweep(
  { services }: { services: Pick<LocalServices, 'lambdaUrl' | 'secretAccessKey'> },
  input: object,
): Promise<unknown> {
  const { lambdaUrl: endpoint, secretAccessKey } = services;
  const credentials = { accessKeyId: 'local', secretAccessKey };
  const client = new LambdaClient({ endpoint, region: LOCAL_REGION, credentials, maxAttempts: 1 });
  try {
    const invoke = new InvokeCommand({ FunctionName: 'sweep', Payload: JSON.stringify(input) });
    const { Payload } = await client.send(invoke);
    return JSON.parse(Payload?.transformToString() ?? 'null');
  } finally {
    client.destroy();
  }
}
