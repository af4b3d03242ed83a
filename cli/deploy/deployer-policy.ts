import { bucketNameOf } from './bucket.ts';
import type { Deployment } from './deployment.ts';

/** A statement of an IAM policy. */
export interface PolicyStatement {
  Sid: string;
  Effect: 'Allow';
  Action: readonly string[];
  Resource: string | readonly string[];
}

/** What the policy's optional parts depend on. */
export interface PolicyOptions {
  /** The names or ARNs of the secrets in davit.yaml. */
  secrets: readonly string[];
  isInVpc: boolean;
  /** Whether the API has a name of its own. */
  hasDomain: boolean;
  /** Whether the stack makes access entries in EKS clusters. */
  hasEksAccess: boolean;
}

/** What CloudFormation calls a resource whose template gives it no name: after the stack, or after its logical id. */
const afterLogicalId = 'Davit*';

/**
 * Writes the IAM policy that a deployment needs. CloudFormation acts as the caller, so the policy has the calls of each
 * resource's handlers, too.
 *
 * @see https://docs.aws.amazon.com/cloudformation-cli/latest/userguide/resource-type-schema.html the schemas' `handlers`
 */
export function deployerPolicy(
  deployment: Deployment,
  options: PolicyOptions,
): { Version: string; Statement: PolicyStatement[] } {
  const Statement = [
    ...ofDeployment(deployment, options),
    ...ofResources(deployment),
    ...ofOptions(deployment, options),
    ...ofDoctor(deployment),
  ];
  return { Version: '2012-10-17', Statement };
}

function allow(
  Sid: string,
  service: string,
  actions: readonly string[],
  Resource: string | readonly string[],
): PolicyStatement {
  return { Sid, Effect: 'Allow', Action: actions.map((action) => `${service}:${action}`), Resource };
}

function arnsOf({ account, region, partition }: Deployment) {
  return (service: string, resource: string) => `arn:${partition}:${service}:${region}:${account}:${resource}`;
}

const tagging = ['TagResource', 'UntagResource'];

/** The calls of the command itself. */
function ofDeployment(deployment: Deployment, { secrets }: PolicyOptions): PolicyStatement[] {
  const arn = arnsOf(deployment);
  const bucket = `arn:${deployment.partition}:s3:::${bucketNameOf(deployment)}`;
  const secretArns = secrets.map((id) => (id.startsWith('arn:') ? id : arn('secretsmanager', `secret:${id}-*`)));
  return [
    allow(
      'Stack',
      'cloudformation',
      [
        'CreateChangeSet',
        'DeleteChangeSet',
        'DeleteStack',
        'DescribeChangeSet',
        'DescribeStackEvents',
        'DescribeStacks',
        'ExecuteChangeSet',
        'GetTemplate',
        'ListStackResources',
        ...tagging,
      ],
      arn('cloudformation', `stack/${deployment.stackName}/*`),
    ),
    allow(
      'Bucket',
      's3',
      [
        'CreateBucket',
        'DeleteBucket',
        'GetBucketTagging',
        'ListBucket',
        'PutBucketPublicAccessBlock',
        'PutBucketTagging',
      ],
      bucket,
    ),
    allow('Bundles', 's3', ['DeleteObject', 'GetObject', 'PutObject'], `${bucket}/*`),
    allow(
      'Secrets',
      'secretsmanager',
      [
        'CreateSecret',
        'DeleteSecret',
        'DescribeSecret',
        'GetSecretValue',
        'PutSecretValue',
        ...tagging,
        'UpdateSecret',
      ],
      [...secretArns, arn('secretsmanager', `secret:${afterLogicalId}`)],
    ),
    allow('Names', 'secretsmanager', ['GetRandomPassword', 'ListSecrets'], '*'),
  ];
}

/** The calls of CloudFormation for the resources of every davit. */
function ofResources(deployment: Deployment): PolicyStatement[] {
  const { stackName, account, region, partition } = deployment;
  const arn = arnsOf(deployment);
  const roles = `arn:${partition}:iam::${account}:role/${stackName}-*`;
  const ofSubscriptions = ['Subscribe', 'Unsubscribe', 'ListSubscriptionsByTopic', 'GetDataProtectionPolicy'];
  return [
    allow(
      'Roles',
      'iam',
      [
        'AttachRolePolicy',
        'CreateRole',
        'DeleteRole',
        'DeleteRolePolicy',
        'DetachRolePolicy',
        'GetRole',
        'GetRolePolicy',
        'ListAttachedRolePolicies',
        'ListRolePolicies',
        'PassRole',
        'PutRolePolicy',
        'TagRole',
        'UntagRole',
        'UpdateAssumeRolePolicy',
        'UpdateRole',
        'UpdateRoleDescription',
      ],
      roles,
    ),
    allow('Functions', 'lambda', ['*'], arn('lambda', `function:${stackName}-*`)),
    allow(
      'Sources',
      'lambda',
      [
        'CreateEventSourceMapping',
        'DeleteEventSourceMapping',
        'GetAccountSettings',
        'GetEventSourceMapping',
        'ListTags',
        ...tagging,
        'UpdateEventSourceMapping',
      ],
      '*',
    ),
    allow(
      'Tables',
      'dynamodb',
      [
        'CreateTable',
        'DeleteTable',
        'Describe*',
        'GetResourcePolicy',
        'ListTagsOfResource',
        ...tagging,
        'UpdateContinuousBackups',
        'UpdateContributorInsights',
        'UpdateTable',
        'UpdateTimeToLive',
      ],
      arn('dynamodb', `table/${stackName}-*`),
    ),
    allow('Machine', 'states', ['*'], arn('states', `stateMachine:${afterLogicalId}`)),
    allow(
      'Api',
      'apigateway',
      ['*'],
      [`arn:${partition}:apigateway:${region}::/apis*`, `arn:${partition}:apigateway:${region}::/tags/*`],
    ),
    allow('Queues', 'sqs', ['*'], arn('sqs', `${stackName}-*`)),
    allow(
      'Topic',
      'sns',
      [
        'CreateTopic',
        'DeleteTopic',
        'GetTopicAttributes',
        'ListTagsForResource',
        'SetTopicAttributes',
        ...tagging,
        ...ofSubscriptions,
      ],
      arn('sns', `${stackName}-*`),
    ),
    allow(
      'Rules',
      'events',
      [
        'DeleteRule',
        'DescribeRule',
        'ListTagsForResource',
        'ListTargetsByRule',
        'PutRule',
        'PutTargets',
        'RemoveTargets',
        ...tagging,
      ],
      arn('events', `rule/${stackName}-*`),
    ),
    allow(
      'Schedules',
      'scheduler',
      ['CreateSchedule', 'DeleteSchedule', 'GetSchedule', 'UpdateSchedule'],
      arn('scheduler', 'schedule/default/*'),
    ),
    allow('Logs', 'logs', ['*'], arn('logs', `log-group:${stackName}-*`)),
    allow(
      'LogDelivery',
      'logs',
      [
        'CreateLogDelivery',
        'DeleteLogDelivery',
        'DescribeIndexPolicies',
        'DescribeLogGroups',
        'DescribeResourcePolicies',
        'GetLogDelivery',
        'ListLogDeliveries',
        'PutResourcePolicy',
        'UpdateLogDelivery',
      ],
      '*',
    ),
    allow(
      'Monitoring',
      'cloudwatch',
      [
        'DeleteAlarms',
        'DeleteDashboards',
        'DescribeAlarms',
        'GetDashboard',
        'ListTagsForResource',
        'PutDashboard',
        'PutMetricAlarm',
        ...tagging,
      ],
      '*',
    ),
  ];
}

/** The calls of CloudFormation for what only some deployments have. */
function ofOptions(deployment: Deployment, { isInVpc, hasDomain, hasEksAccess }: PolicyOptions): PolicyStatement[] {
  const { region, partition } = deployment;
  const arn = arnsOf(deployment);
  return [
    ...(isInVpc
      ? [
          allow(
            'Network',
            'ec2',
            [
              'AuthorizeSecurityGroupEgress',
              'AuthorizeSecurityGroupIngress',
              'CreateSecurityGroup',
              'CreateTags',
              'DeleteSecurityGroup',
              'DeleteTags',
              'DescribeInstances',
              'DescribeNetworkInterfaces',
              'DescribeSecurityGroups',
              'DescribeSubnets',
              'DescribeVpcs',
              'RevokeSecurityGroupEgress',
              'RevokeSecurityGroupIngress',
              'UpdateSecurityGroupRuleDescriptionsEgress',
              'UpdateSecurityGroupRuleDescriptionsIngress',
            ],
            '*',
          ),
        ]
      : []),
    ...(hasDomain
      ? [allow('Domain', 'apigateway', ['*'], `arn:${partition}:apigateway:${region}::/domainnames*`)]
      : []),
    ...(hasEksAccess
      ? [
          allow(
            'Clusters',
            'eks',
            [
              'CreateAccessEntry',
              'DeleteAccessEntry',
              'DescribeAccessEntry',
              'ListAssociatedAccessPolicies',
              ...tagging,
              'UpdateAccessEntry',
            ],
            [arn('eks', 'cluster/*'), arn('eks', 'access-entry/*')],
          ),
        ]
      : []),
  ];
}

/** The calls of `davit doctor`. */
function ofDoctor(deployment: Deployment): PolicyStatement[] {
  const arn = arnsOf(deployment);
  return [
    allow('Doctor', 'eks', ['DescribeCluster', 'ListAccessEntries'], arn('eks', 'cluster/*')),
    allow('Reads', 'execute-api', ['Invoke'], arn('execute-api', '*/*/GET/*')),
  ];
}
