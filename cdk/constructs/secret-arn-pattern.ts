import { ArnFormat, type Stack } from 'aws-cdk-lib';

/**
 * Makes the pattern by which a policy matches a secret of davit.yaml. Secrets Manager ends every ARN with a hyphen and six
 * random characters. For a name, or an ARN without them, the pattern matches any six.
 *
 * @param secretId a name, or an ARN
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/troubleshoot.html#ARN_secretnamehyphen
 */
export function secretArnPattern(stack: Stack, secretId: string): string {
  if (/^arn:.*-[A-Za-z0-9]{6}$/.test(secretId)) return secretId;
  if (secretId.startsWith('arn:')) return `${secretId}-??????`;
  return stack.formatArn({
    service: 'secretsmanager',
    resource: 'secret',
    resourceName: `${secretId}-??????`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
}
