import { functionPermissions } from '../../cdk/function-permissions.ts';
import type { AwsCall } from './aws-calls.ts';

/**
 * Says whether a function's role is made to allow a call. Another test proves that the roles of the template are what
 * the functions' needs say; this one is quick enough to be asked of every call in every end-to-end test.
 */
export function isGranted({ by, action, resource }: AwsCall): boolean {
  const {
    launches = [],
    tokens = [],
    secrets = [],
    executions = [],
    cleanUps,
    registrations,
    retirements,
    jobs = [],
    events,
  } = functionPermissions[by];
  const [service = '', operation = ''] = action.split(':');
  const onTable = resource.includes('/davit-tokens') ? tokens : resource.includes('/davit-jobs') ? jobs : launches;
  const invoked = [
    ...(cleanUps ? ['clean-up'] : []),
    ...(registrations ? ['register-runner'] : []),
    ...(retirements ? ['retire-runner'] : []),
  ];
  const granted: Record<string, readonly string[]> = {
    dynamodb: onTable,
    states: executions,
    secretsmanager: secrets.length > 0 ? ['GetSecretValue'] : [],
    lambda: invoked.some((name) => resource.endsWith(`:function:${name}`)) ? ['InvokeFunction'] : [],
    events: events ? ['PutEvents'] : [],
    eks: secrets.includes('clusters') ? ['DescribeCluster'] : [],
  };
  return granted[service]?.includes(operation) === true;
}

/** @throws Error naming the calls that no role allows */
export function checkGranted(calls: readonly AwsCall[]): void {
  const refused = calls.filter((call) => !isGranted(call));
  const lines = refused.map(({ by, action, resource }) => `${by} asked for ${action} on ${resource}`);
  if (lines.length > 0) throw new Error(`on AWS these would have been refused:\n${lines.join('\n')}`);
}
