import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** How everything that a davit stores is kept. */
export interface Keeping {
  removalPolicy: RemovalPolicy;
  logRetention: RetentionDays;
  /** Undefined: keys that AWS owns, or manages for the account. */
  encryptionKey: IKey | undefined;
}
