import type * as z from '../../zod.ts';
import { type AwsSettings, createAwsClient } from './aws-client.ts';
import type { JsonService } from './aws-services.ts';

/** Calls one service that speaks AWS's JSON protocol. */
export interface JsonClient {
  /**
   * Makes a call.
   *
   * @param Output what is read of the answer
   * @throws as `AwsClient`'s `send`, and $ZodError for an answer that is not as documented
   * @see https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
   */
  call: <Output extends z.ZodMiniType>(operation: string, input: object, Output: Output) => Promise<z.infer<Output>>;
}

/** Makes a client of a service that speaks AWS's JSON protocol. */
export function createJsonClient(service: JsonService, settings?: AwsSettings): JsonClient {
  const client = createAwsClient(service, settings);
  return {
    async call(operation, input, Output) {
      const headers = {
        'content-type': `application/x-amz-json-${service.version}`,
        'x-amz-target': `${service.targetPrefix}.${operation}`,
      };
      const request = { method: 'POST', path: '/', headers, body: JSON.stringify(input) } as const;
      return Output.parse(await client.send(operation, request));
    },
  };
}
