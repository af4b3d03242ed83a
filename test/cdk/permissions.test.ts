import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { functionNames, reachesClusters } from '../../cdk/function-permissions.ts';
import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { config, polledJenkins, resourcesOf, synthesise } from './synthesise.ts';
import { functionsOf, permissionsOf } from './synthesised-function.ts';

const template = synthesise();
const functionOf = functionsOf(template);
const [launchesTable, tokensTable, jobsTable, clustersTable] = resourcesOf(template, 'AWS::DynamoDB::Table').keys();
const [credentialKey] = resourcesOf(template, 'AWS::SecretsManager::Secret').keys();

/** The functions that may do an action on a resource whose ARN matches. */
function whoMay(action: RegExp, on: string): FunctionName[] {
  return functionNames.filter((name) =>
    functionOf(name).permissions.some(
      (permission) => action.test(permission.action) && permission.resource.includes(on),
    ),
  );
}

test('only publish-token may write tokens', () => {
  const writers = whoMay(/^dynamodb:(?!GetItem|Query)/, `\${${tokensTable}.Arn`);

  expect(writers).toEqual(['publish-token']);
});

test('only connect and publish-token may read the table of tokens', () => {
  const readers = whoMay(/^dynamodb:/, `\${${tokensTable}.Arn`);

  expect(readers).toEqual(['connect', 'publish-token']);
});

test.each(['connect', 'register-runner', 'relaunch'] as const)(
  '%s may mark a launch, but neither create nor delete one',
  (name) => {
    const { permissions } = functionOf(name);

    const onLaunches = permissions.filter(({ resource }) => resource.includes(`\${${launchesTable}.Arn`));

    expect(onLaunches.map(({ action }) => action)).toEqual(['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  },
);

const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(
      z.object({ Action: z.union([z.string(), z.array(z.string())]), Condition: z.unknown().optional() }),
    ),
  }),
});

test('no role may delete an item, but those that free slots an item of a slot', () => {
  const deleters = whoMay(/^dynamodb:(?:Delete|BatchWrite|Transact|PartiQL)/, '');
  const statements = [...resourcesOf(template, 'AWS::IAM::Policy').values()].flatMap(
    ({ Properties }) => Policy.parse(Properties).PolicyDocument.Statement,
  );
  const deleting = statements.filter(({ Action }) =>
    [Action].flat().some((action) => action.startsWith('dynamodb:Delete')),
  );

  expect(deleters).toEqual(['webhook', 'launches', 'admit', 'reconcile', 'poll-ci']);
  expect(deleting).toHaveLength(5);
  for (const { Condition } of deleting) {
    expect(Condition).toEqual({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['slots/*'] } });
  }
});

test("only create-pod and connect may read the key of agents' credentials", () => {
  const readers = whoMay(/^secretsmanager:/, `\${${credentialKey}}`);

  expect(readers).toEqual(['connect', 'create-pod']);
});

test('only the functions that reach a cluster may read kubeconfigs', () => {
  const readers = whoMay(/^secretsmanager:/, 'kubeconfig-one');

  expect(readers).toEqual([
    'create-service',
    'poll-node-port',
    'create-pod',
    'poll-host-ip',
    'publish-token',
    'relaunch',
    'clean-up',
    'sweep',
    'probe',
  ]);
});

test("only webhook may read the webhooks' secrets", () => {
  const readers = whoMay(/^secretsmanager:/, 'webhooks/github');

  expect(readers).toEqual(['webhook']);
});

test('only four functions may read the credentials for CI systems', () => {
  const readers = whoMay(/^secretsmanager:/, 'davit/ci/');

  expect(readers).toEqual(['register-runner', 'retire-runner', 'report-to-ci', 'reconcile']);
});

test('only functions that end connected launches may request retirements', () => {
  expect(whoMay(/^lambda:/, functionOf('retire-runner').logicalId)).toEqual([
    'launches',
    'sweep',
    'reconcile',
    'poll-ci',
  ]);
});

test('only webhook and poll-ci may invoke publish-events, and they may send no event themselves', () => {
  expect(whoMay(/^lambda:/, functionOf('publish-events').logicalId)).toEqual(['webhook', 'poll-ci']);
  expect(whoMay(/^events:/, '')).toEqual(['sweep', 'reconcile', 'publish-events']);
});

test('only publish-events may invoke admit, and admit reads no secret, reaches no cluster and ends nothing', () => {
  const { permissions, logicalId } = functionOf('admit');

  const actions = permissions.map(({ action }) => action).filter((action) => !/^(?:logs|xray):/.test(action));
  expect(whoMay(/^lambda:/, logicalId)).toEqual(['publish-events']);
  expect([...new Set(actions)].toSorted()).toEqual([
    'dynamodb:BatchGetItem',
    'dynamodb:DeleteItem',
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'states:StartExecution',
  ]);
});

test('only reconcile may request reports, and report-to-ci may write only its reports', () => {
  const { permissions, logicalId } = functionOf('report-to-ci');

  const actions = permissions.map(({ action }) => action).filter((action) => !/^(?:logs|xray):/.test(action));
  expect([...new Set(actions)].toSorted()).toEqual([
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'secretsmanager:GetSecretValue',
  ]);
  expect(whoMay(/^lambda:/, logicalId)).toEqual(['reconcile']);
  expect(whoMay(/^dynamodb:/, `\${${jobsTable}.Arn`)).toContain('report-to-ci');
  expect(permissions.filter(({ resource }) => resource.includes(`\${${launchesTable}.Arn`))).toEqual([]);
});

test('connect may only read jobs', () => {
  const { permissions } = functionOf('connect');

  const onJobs = permissions.filter(({ resource }) => resource.includes(`\${${jobsTable}.Arn`));
  expect(onJobs.map(({ action }) => action)).toEqual(['dynamodb:BatchGetItem']);
});

test('only functions that launch for, answer, report or remember jobs, or pace their requests to CI systems, may use the jobs table', () => {
  expect(whoMay(/^dynamodb:/, `\${${jobsTable}.Arn`)).toEqual([
    'webhook',
    'launches',
    'jobs',
    'connect',
    'register-runner',
    'retire-runner',
    'report-to-ci',
    'clean-up',
    'admit',
    'reconcile',
    'poll-ci',
  ]);
  expect(whoMay(/^dynamodb:Query$/, `\${${jobsTable}.Arn}`)).toEqual([
    'webhook',
    'jobs',
    'admit',
    'reconcile',
    'poll-ci',
  ]);
  expect(whoMay(/^dynamodb:(?:Put|Update)/, `\${${jobsTable}.Arn`)).not.toContain('jobs');
});

test('only functions that reach clusters may report their connections', () => {
  const writers = whoMay(/^dynamodb:(?!GetItem|Scan)/, `\${${clustersTable}.Arn`);

  expect(writers).toEqual(functionNames.filter(reachesClusters));
});

test('retire-runner creates no launch and reaches no cluster', () => {
  const { permissions } = functionOf('retire-runner');

  const actions = permissions.map(({ action }) => action).filter((action) => !/^(?:logs|xray):/.test(action));
  expect([...new Set(actions)].toSorted()).toEqual([
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'lambda:InvokeFunction',
    'secretsmanager:GetSecretValue',
    'states:StopExecution',
  ]);
});

test('only connect may invoke register-runner, and connect may invoke nothing else', () => {
  const registering = functionOf('register-runner').logicalId;
  const invoked = functionOf('connect').permissions.filter(({ action }) => action.startsWith('lambda:'));

  expect(whoMay(/^lambda:/, registering)).toEqual(['connect']);
  expect(invoked).toEqual([{ action: 'lambda:InvokeFunction', resource: `\${${registering}.Arn}` }]);
});

test("register-runner reads and changes launches, takes its points in the jobs table, reads the CI systems' credentials, and may do nothing else", () => {
  const { permissions } = functionOf('register-runner');

  const actions = permissions.map(({ action }) => action).filter((action) => !/^(?:logs|xray):/.test(action));
  expect([...new Set(actions)].toSorted()).toEqual([
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:UpdateItem',
    'secretsmanager:GetSecretValue',
  ]);
});

test('only functions that create launches may start executions, only those that end launches may stop and clean up, and only sweep may read executions', () => {
  const starters = whoMay(/^states:StartExecution$/, '');
  const stoppers = whoMay(/^states:StopExecution$/, '');
  const cleaners = whoMay(/^lambda:InvokeFunction$/, functionOf('clean-up').logicalId);

  const watchers = whoMay(/^states:(?:Describe|List|Get)/, '');

  expect({ starters, stoppers, cleaners, watchers }).toEqual({
    starters: ['webhook', 'launches', 'admit', 'sweep', 'reconcile', 'poll-ci'],
    stoppers: ['webhook', 'launches', 'retire-runner', 'sweep', 'poll-ci'],
    cleaners: ['webhook', 'launches', 'retire-runner', 'sweep', 'poll-ci'],
    watchers: ['sweep'],
  });
});

test('sweep may only read launches and change existing ones', () => {
  const { permissions } = functionOf('sweep');

  const onLaunches = permissions.filter(({ resource }) => resource.includes(`\${${launchesTable}.Arn`));

  expect(onLaunches.map(({ action }) => action).sort()).toEqual([
    'dynamodb:BatchGetItem',
    'dynamodb:GetItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
  ]);
});

/** X-Ray's actions, which support no resource. */
const unbound = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];

describe.each(functionNames)('the role of %s', (name) => {
  test('has no action with a wildcard', () => {
    const { permissions } = functionOf(name);

    const wild = permissions.filter(({ action }) => action.includes('*'));

    expect(wild).toEqual([]);
  });

  test("has no resource with a wildcard but the state machine's executions and the suffix of a secret's ARN", () => {
    const { permissions } = functionOf(name);

    const wild = permissions.filter(
      ({ action, resource }) =>
        /[*?]/.test(resource.replace(/-\?{6}$/, '')) &&
        !/:execution:\$\{[^}]+\}:\*$/.test(resource) &&
        !unbound.includes(action),
    );

    expect(wild).toEqual([]);
  });
});

test('no role has a policy that is not in the template', () => {
  const managed = [...resourcesOf(template, 'AWS::IAM::Role').values()].filter(
    ({ Properties }) => Properties['ManagedPolicyArns'] !== undefined,
  );

  expect(managed).toEqual([]);
});

/** The actions that let a state machine write to a log group. None of them supports a resource. */
const settingUpItsLog = [
  'logs:CreateLogDelivery',
  'logs:DeleteLogDelivery',
  'logs:DescribeLogGroups',
  'logs:DescribeResourcePolicies',
  'logs:GetLogDelivery',
  'logs:ListLogDeliveries',
  'logs:PutResourcePolicy',
  'logs:UpdateLogDelivery',
];
const tracing = [
  'xray:GetSamplingRules',
  'xray:GetSamplingTargets',
  'xray:PutTelemetryRecords',
  'xray:PutTraceSegments',
];

const steps: FunctionName[] = [
  'create-service',
  'poll-node-port',
  'create-pod',
  'poll-host-ip',
  'publish-token',
  'relaunch',
  'clean-up',
];

test('the state machine may invoke its seven functions, set up its log, trace, and do nothing else', () => {
  const [machine] = resourcesOf(template, 'AWS::StepFunctions::StateMachine').values();
  const [role] = [...resourcesOf(template, 'AWS::IAM::Role').keys()].filter((id) => id.includes('StateMachine'));

  const permissions = permissionsOf(template, `\${${role}.Arn}`);

  const invoked = steps.map((name) => `\${${functionOf(name).logicalId}.Arn}`);
  expect(machine?.Properties['RoleArn']).toEqual({ 'Fn::GetAtt': [role, 'Arn'] });
  const invoking = permissions.filter(({ action }) => action === 'lambda:InvokeFunction');
  const others = permissions.filter((permission) => !invoking.includes(permission));
  expect(new Set(invoking.map(({ resource }) => resource))).toEqual(new Set(invoked));
  expect(others.map(({ action }) => action).sort()).toEqual([...settingUpItsLog, ...tracing].sort());
});

describe('a davit that polls a CI system', () => {
  const polling = synthesise({ config: { ...config, ciSystems: [...config.ciSystems, polledJenkins] } });
  const schedules = (of: Template) =>
    Object.values(
      of.findResources('AWS::Scheduler::Schedule', {
        Properties: { Description: 'davit: polls the CI systems that send no webhooks' },
      }),
    );

  test('has a schedule for it, and another one has none', () => {
    expect(schedules(polling)).toHaveLength(1);
    expect(schedules(template)).toHaveLength(0);
  });

  test('lets poll-ci read the credentials of that system alone', () => {
    const read = (of: Template) =>
      functionsOf(of)('poll-ci').permissions.flatMap(({ action, resource }) =>
        action.startsWith('secretsmanager:') ? (/davit\/[\w/-]+/.exec(resource)?.[0] ?? resource) : [],
      );

    expect(read(polling)).toEqual([expect.stringMatching(/^davit\/ci\/jenkins-token/)]);
    expect(read(template)).toEqual([]);
  });

  test('lets only webhook invoke poll-ci', () => {
    expect(whoMay(/^lambda:/, functionOf('poll-ci').logicalId)).toEqual(['webhook']);
  });
});

test('webhook may read no secret where no CI system has webhooks', () => {
  const scaleSet = { organization: 'acme', profile: 'linux' };
  const hub = { name: 'hub', provider: 'github', tokenSecret: 'davit/ci/hub-token', events: 'scaleSet', scaleSet };
  const ofSet = functionsOf(synthesise({ config: { ...config, ciSystems: [CiSystemConfig.parse(hub)] } }));

  const { permissions } = ofSet('webhook');

  expect(permissions.filter(({ action }) => action.startsWith('secretsmanager:'))).toEqual([]);
  expect(ofSet('poll-ci').permissions).toContainEqual({
    action: 'secretsmanager:GetSecretValue',
    resource: expect.stringContaining('davit/ci/hub-token'),
  });
});

describe.each([
  { provider: 'gitlab', url: 'https://gitlab.example.com', group: 'acme' },
  { provider: 'forgejo', url: 'https://forgejo.example.com', scope: 'orgs/acme' },
])('a davit with a $provider alone', ({ provider, ...at }) => {
  const secrets = { webhookSecret: `davit/webhooks/${provider}`, tokenSecret: `davit/ci/${provider}-token` };
  const system = CiSystemConfig.parse({ name: provider, provider, ...at, ...secrets });
  const read = functionsOf(synthesise({ config: { ...config, ciSystems: [system] } }));
  const readersOf = (secret: string) =>
    functionNames.filter((name) =>
      read(name).permissions.some(
        ({ action, resource }) => action === 'secretsmanager:GetSecretValue' && resource.includes(secret),
      ),
    );

  test('lets only the functions that act there read its token', () => {
    expect(readersOf(secrets.tokenSecret)).toEqual(['register-runner', 'retire-runner', 'reconcile', 'poll-ci']);
  });

  test('lets only webhook read the secret that signs its webhooks', () => {
    expect(readersOf(secrets.webhookSecret)).toEqual(['webhook']);
  });
});
