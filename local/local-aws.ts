import type { AwsSettings } from '../functions/adapters/aws/aws-client.ts';
import { LOCAL_REGION } from './lambda/function-name.ts';

/** What a client is made with that reaches a local service. */
export function localAws(endpoint: string): AwsSettings {
  return {
    endpoint,
    region: LOCAL_REGION,
    credentials: () => ({ accessKeyId: 'local', secretAccessKey: 'local' }),
  };
}
