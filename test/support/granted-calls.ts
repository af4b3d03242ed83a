import { standbyIndex } from '../../adapters/aws/table-definitions.ts';
import { functionPermissions, slotActions } from '../../cdk/function-permissions.ts';
import type { AwsCall } from './aws-calls.ts';

/**
 * Whether a function's role allows a call. Another test proves that the template's roles match the functions' declared
 * permissions. This check is fast enough for every call of every end-to-end test.
 */
export function isGranted({ by, action, resource }: AwsCall): boolean {
  const {
    launches = [],
    tokens = [],
    secrets = [],
    executions = [],
    invokes = [],
    jobs = [],
    clusters = [],
    slots = [],
    events,
  } = functionPermissions[by];
  const [service = '', operation = ''] = action.split(':');
  const tables = {
    '/davit-tokens': tokens,
    '/davit-jobs': [
      ...jobs.map((name) => (name === 'QueryIndex' ? 'Query' : name)),
      ...slots.flatMap((use) => slotActions[use]),
    ],
    '/davit-clusters': clusters,
    [`/index/${standbyIndex}`]: launches.includes('QueryStandby') ? ['Query'] : [],
  };
  const onTable: readonly string[] = Object.entries(tables).find(([name]) => resource.includes(name))?.[1] ?? launches;
  const granted: Record<string, readonly string[]> = {
    dynamodb: onTable,
    states: executions,
    secretsmanager: secrets.length > 0 ? ['GetSecretValue'] : [],
    lambda: invokes.some((name) => resource.endsWith(`:function:${name}`)) ? ['InvokeFunction'] : [],
    events: events ? ['PutEvents'] : [],
    eks: secrets.includes('clusters') ? ['DescribeCluster'] : [],
  };
  return granted[service]?.includes(operation) === true;
}

/** @throws Error naming the calls that no role allows */
export function checkGranted(calls: readonly AwsCall[]): void {
  const refused = calls.filter((call) => !isGranted(call));
  const lines = refused.map(({ by, action, resource }) => `${by} asked for ${action} on ${resource}`);
  if (lines.length > 0) throw new Error(`AWS would have refused these calls:\n${lines.join('\n')}`);
}
