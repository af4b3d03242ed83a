import type { AwsSettings } from '../../../adapters/aws/client-settings.ts';
import { LOCAL_REGION } from './lambda/function-name.ts';
import { defaultSecretAccessKey } from './request-signature.ts';

/** The settings of a client for a local service. */
export function localAws(endpoint: string, secretAccessKey = defaultSecretAccessKey): AwsSettings {
  return {
    endpoint,
    region: LOCAL_REGION,
    credentials: () => ({ accessKeyId: 'local', secretAccessKey }),
  };
}
