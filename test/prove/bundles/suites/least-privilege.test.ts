import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { functionNames } from '../../../../cdk/function-permissions.ts';
import { namespaceRules, nodeRules } from '../../../../cdk/rbac/rules.ts';
import { credentialKeySecret } from '../../../../local/runtime/local-secrets.ts';
import type { FunctionName } from '../../../../runtime/function-settings.ts';
import { localDeployment } from '../../../cdk/local-deployment.ts';
import { type Asked, isAllowed, type Statement, statementsOf } from '../../../cdk/role-policies.ts';
import { resourcesOf, synthesise } from '../../../cdk/synthesise.ts';
import { davitOf } from '../../../cdk/variants.ts';
import { LOCAL_REGION } from '../../../support/aws/lambda/function-name.ts';
import type { AwsCall } from '../../../support/aws-calls.ts';
import { type EveryCall, launchEveryWay } from './launch-every-way.ts';

/**
 * The actions that AWS itself does in a function's name: Lambda writes the function's log and traces, reads its
 * streams, and keeps its failed events. The function's code never calls them.
 */
const doneByAws = [
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
  'sqs:SendMessage',
  'dynamodb:DescribeStream',
  'dynamodb:GetRecords',
  'dynamodb:GetShardIterator',
  'dynamodb:ListStreams',
];

/**
 * What a function needs only at a moment that this suite seldom meets. These give a slot back if another function claims the
 * job between two of its requests: test/unit/logic/lifecycle/request-limited.test.ts. A poll lists launches only for a system
 * in which davit chooses an agent's job: test/e2e/polled-jobs.test.ts.
 */
const neededSeldom: Partial<Record<FunctionName, readonly string[]>> = {
  webhook: ['dynamodb:DeleteItem'],
  'poll-ci': ['dynamodb:DeleteItem', 'dynamodb:Query'],
  reconcile: ['dynamodb:DeleteItem'],
};

let seen: EveryCall;
let roles: Map<FunctionName, Statement[]>;
/** The roles of a davit with a key of its own, `keyArn`. */
let rolesWithKey: Map<FunctionName, Statement[]>;
let keyArn: string;
beforeAll(async () => {
  seen = await launchEveryWay();
  roles = rolesIn(synthesise({ config: seen.config }));
  const { davit } = davitOf((stack) => ({ config: seen.config, encryptionKey: new Key(stack, 'Key') }));
  const template = Template.fromStack(Stack.of(davit));
  rolesWithKey = rolesIn(template);
  const [keyId = ''] = resourcesOf(template, 'AWS::KMS::Key').keys();
  keyArn = localDeployment(template)(keyId, 'Arn');
});

function rolesIn(template: Template): Map<FunctionName, Statement[]> {
  const deployed = localDeployment(template);
  const roleIds = [...resourcesOf(template, 'AWS::IAM::Role')];
  return new Map(
    functionNames.map((name) => {
      const [roleId = ''] = roleIds.find(([, { Properties }]) => Properties['Description'] === `davit ${name}`) ?? [];
      return [name, statementsOf(template, roleId, deployed)];
    }),
  );
}

/** An action on a resource that a role allows, and a statement of these two alone. */
interface Grant {
  action: string;
  resource: string;
  statement: Statement;
}

/** A function's grants, without the actions that AWS does in its name: each action on each resource. */
function grantsTo(name: FunctionName): Grant[] {
  return (roles.get(name) ?? []).flatMap((statement) =>
    statement.Action.filter((action) => statement.Effect === 'Allow' && !doneByAws.includes(action)).flatMap((action) =>
      statement.Resource.map((resource) => ({
        action,
        resource,
        statement: { ...statement, Action: [action], Resource: [resource] },
      })),
    ),
  );
}

const callsOf = (name: FunctionName) => seen.aws.filter(({ by }) => by === name);

/** The calls that a function made and that these statements allow. */
async function allowedCalls(name: FunctionName, statements: readonly Statement[]): Promise<AwsCall[]> {
  const calls: AwsCall[] = [];
  for (const call of callsOf(name)) if (await isAllowed(statements, call)) calls.push(call);
  return calls;
}

/** The functions whose role allows any of these. */
async function allowedTo(asked: readonly Asked[]): Promise<FunctionName[]> {
  const names: FunctionName[] = [];
  for (const name of functionNames) {
    const answers = await Promise.all(asked.map((one) => isAllowed(roles.get(name) ?? [], one)));
    if (answers.includes(true)) names.push(name);
  }
  return names;
}

describe.each(functionNames)('the role of %s', (name) => {
  test('allows every AWS call of the function', async () => {
    const allowed = await allowedCalls(name, roles.get(name) ?? []);

    expect(allowed).toEqual(callsOf(name));
    // A function without grants makes no calls.
    expect(callsOf(name).length > 0).toBe(grantsTo(name).length > 0);
  });

  test('grants nothing that the function never used, action by action and resource by resource', async () => {
    const idle: string[] = [];
    for (const { action, resource, statement } of grantsTo(name)) {
      if (neededSeldom[name]?.includes(action)) continue;
      if ((await allowedCalls(name, [statement])).length === 0) idle.push(`${action} ${resource}`);
    }

    expect(idle).toEqual([]);
  });
});

/**
 * The actions on the key that AWS does in a caller's name, by the service that stores the encrypted data. All tables have
 * the key; of the secrets, only the credential key.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 * @see https://docs.aws.amazon.com/secretsmanager/latest/userguide/security-encryption.html
 */
const keyActions = {
  dynamodb: [
    'Decrypt',
    'DescribeKey',
    'Encrypt',
    'GenerateDataKey',
    'GenerateDataKeyWithoutPlaintext',
    'ReEncryptFrom',
    'ReEncryptTo',
  ],
  secretsmanager: ['Decrypt'],
  lambda: ['Decrypt'],
  sqs: ['Decrypt', 'GenerateDataKey'],
} as const;

/** The uses of the key that follow from a function's environment, its calls, and what AWS sends in its name. */
function keyUsesOf(name: FunctionName): Asked[] {
  const called = callsOf(name).flatMap(({ action, resource }) => {
    if (action.startsWith('dynamodb:')) return ['dynamodb' as const];
    return resource.endsWith(`:${credentialKeySecret}-a1B2c3`) ? ['secretsmanager' as const] : [];
  });
  const sends = roles.get(name)?.some(({ Action }) => Action.includes('sqs:SendMessage')) === true;
  const services = new Set(['lambda' as const, ...called, ...(sends ? ['sqs' as const] : [])]);
  return [...services].flatMap((service) =>
    keyActions[service].map((action) => ({
      action: `kms:${action}`,
      resource: keyArn,
      context: { 'kms:ViaService': `${service}.${LOCAL_REGION}.amazonaws.com` },
    })),
  );
}

describe.each(functionNames)('with a key of your own, the role of %s', (name) => {
  test('allows every use of the key that its calls need, and no other one', async () => {
    const needed = keyUsesOf(name);
    const granted = (rolesWithKey.get(name) ?? []).filter(({ Resource }) => Resource.includes(keyArn));

    const allowed: Asked[] = [];
    for (const use of needed) if (await isAllowed(granted, use)) allowed.push(use);
    const grants = granted.flatMap(({ Action, Condition }) => Action.map((action) => ({ action, ...Condition })));

    expect(allowed).toEqual(needed);
    expect(grants).toHaveLength(needed.length);
  });

  test('allows every AWS call of the function, and no other than without the key', async () => {
    const others = (rolesWithKey.get(name) ?? []).filter(({ Resource }) => !Resource.includes(keyArn));

    expect(await allowedCalls(name, others)).toEqual(callsOf(name));
    expect(others.flatMap(({ Action }) => Action)).toEqual(roles.get(name)?.flatMap(({ Action }) => Action));
  });
});

describe('the policies, when evaluated,', () => {
  const everyAction = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'PartiQLInsert', 'PartiQLUpdate'];
  const tokens = 'arn:aws:dynamodb:us-east-1:000000000000:table/davit-tokens';

  test('let publish-token write tokens, and no other function', async () => {
    const writers = await allowedTo(everyAction.map((action) => ({ action: `dynamodb:${action}`, resource: tokens })));

    expect(writers).toEqual(['publish-token']);
  });

  test("let no function read another application's secret", async () => {
    const resource = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:somebody-elses-a1B2c3';
    const readers = await allowedTo([{ action: 'secretsmanager:GetSecretValue', resource }]);

    expect(readers).toEqual([]);
  });
});

describe('the Role in Kubernetes', () => {
  const granted = [...namespaceRules, ...nodeRules].flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );

  test('grants the rights that davit uses in a cluster, neither more nor less', () => {
    expect([...seen.kubernetes].toSorted()).toEqual(granted.toSorted());
  });

  test("is used in the agents' namespace only, except for Nodes", () => {
    expect([...seen.namespaces]).toEqual(['davit-agents']);
  });
});
