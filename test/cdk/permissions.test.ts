import type { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { functionNames, reachesClusters } from '../../cdk/function-permissions.ts';
import { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { config, polledJenkins, propertiesOf, resourcesOf, synthesise } from './synthesise.ts';
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

const onTokens = `\${${tokensTable}.Arn`;
const onJobs = `\${${jobsTable}.Arn`;
const onLaunches = `\${${launchesTable}.Arn`;
const steps = 'create-service poll-node-port create-pod poll-host-ip publish-token relaunch clean-up';
const ending = 'webhook launches retire-runner sweep poll-ci';
const starting = 'webhook launches admit sweep reconcile poll-ci';
const withJobs =
  'webhook launches jobs connect register-runner retire-runner report-to-ci clean-up admit reconcile poll-ci';
const readSecret = /^secretsmanager:/;
const invoke = /^lambda:/;
const idOf = (name: FunctionName) => functionOf(name).logicalId;

test.each<[names: string, what: string, action: RegExp, on: string]>([
  ['publish-token', 'write tokens', /^dynamodb:(?!GetItem|Query)/, onTokens],
  ['connect publish-token', 'read the table of tokens', /^dynamodb:/, onTokens],
  ['connect create-pod', "read the key of agents' credentials", readSecret, `\${${credentialKey}}`],
  [`${steps} sweep probe`, 'read kubeconfigs', readSecret, 'kubeconfig-one'],
  ['webhook', "read the webhooks' secrets", readSecret, 'webhooks/github'],
  ['register-runner retire-runner report-to-ci reconcile', 'read credentials for CI systems', readSecret, 'davit/ci/'],
  ['launches sweep reconcile poll-ci', 'request the retirement of a runner', invoke, idOf('retire-runner')],
  ['webhook poll-ci', 'invoke publish-events', invoke, idOf('publish-events')],
  ['sweep reconcile publish-events', 'send events', /^events:/, ''],
  ['publish-events', 'invoke admit', invoke, idOf('admit')],
  ['reconcile', 'request reports', invoke, idOf('report-to-ci')],
  ['connect', 'invoke register-runner', invoke, idOf('register-runner')],
  ['webhook', 'invoke poll-ci', invoke, idOf('poll-ci')],
  [withJobs, 'use the jobs table', /^dynamodb:/, onJobs],
  ['webhook jobs admit reconcile poll-ci', 'query the jobs table', /^dynamodb:Query$/, `${onJobs}}`],
  [`${steps} sweep probe`, 'report connections', /^dynamodb:(?!GetItem|Scan)/, `\${${clustersTable}.Arn`],
  [starting, 'start executions', /^states:StartExecution$/, ''],
  [ending, 'stop executions', /^states:StopExecution$/, ''],
  [ending, 'request a clean-up', invoke, idOf('clean-up')],
  ['sweep', 'read executions', /^states:(?:Describe|List|Get)/, ''],
])('only %s may %s', (names, _what, action, on) => {
  expect(whoMay(action, on)).toEqual(names.split(' '));
});

test('the functions that reach clusters are the steps, sweep and probe', () => {
  expect(functionNames.filter(reachesClusters).join(' ')).toBe(`${steps} sweep probe`);
});

test.each<[name: FunctionName, what: string, on: string, actions: string[]]>([
  ['connect', 'mark a launch, but neither create nor delete one', onLaunches, ['GetItem', 'UpdateItem']],
  ['register-runner', 'mark a launch, but neither create nor delete one', onLaunches, ['GetItem', 'UpdateItem']],
  ['relaunch', 'mark a launch, but neither create nor delete one', onLaunches, ['GetItem', 'UpdateItem']],
  ['sweep', 'read launches and change existing ones', onLaunches, ['BatchGetItem', 'GetItem', 'Query', 'UpdateItem']],
  ['report-to-ci', 'do nothing to a launch', onLaunches, []],
  ['connect', 'read jobs', onJobs, ['BatchGetItem']],
])('%s may only %s', (name, _what, on, actions) => {
  const { permissions } = functionOf(name);

  const allowed = permissions.filter(({ resource }) => resource.includes(on)).map(({ action }) => action);

  expect(allowed.toSorted()).toEqual(actions.map((action) => `dynamodb:${action}`));
});

const readsSecrets = 'secretsmanager:GetSecretValue';
const changesItems = 'dynamodb:GetItem dynamodb:UpdateItem';

test.each<[name: FunctionName, fact: string, actions: string]>([
  [
    'admit',
    'reads no secret, reaches no cluster and ends nothing',
    `dynamodb:BatchGetItem dynamodb:DeleteItem dynamodb:GetItem dynamodb:PutItem dynamodb:Query dynamodb:UpdateItem states:StartExecution`,
  ],
  ['report-to-ci', 'writes only its reports', `${changesItems} ${readsSecrets}`],
  [
    'retire-runner',
    'creates no launch and reaches no cluster',
    `${changesItems} lambda:InvokeFunction ${readsSecrets} states:StopExecution`,
  ],
  [
    'register-runner',
    "reads and changes launches, takes its points in the jobs table, reads the CI systems' credentials",
    `dynamodb:BatchGetItem ${changesItems} ${readsSecrets}`,
  ],
])('%s %s, and may do nothing else', (name, _fact, actions) => {
  const allowed = functionOf(name).permissions.map(({ action }) => action);

  expect([...new Set(allowed)].filter((action) => !/^(?:logs|xray):/.test(action)).toSorted()).toEqual(
    actions.split(' '),
  );
});

test('jobs changes no job, and connect invokes register-runner alone', () => {
  const invoked = functionOf('connect').permissions.filter(({ action }) => action.startsWith('lambda:'));

  expect(whoMay(/^dynamodb:(?:Put|Update)/, onJobs)).not.toContain('jobs');
  expect(invoked).toEqual([{ action: 'lambda:InvokeFunction', resource: `\${${idOf('register-runner')}.Arn}` }]);
});

const Policy = z.object({
  PolicyDocument: z.object({
    Statement: z.array(
      z.object({ Action: z.union([z.string(), z.array(z.string())]), Condition: z.unknown().optional() }),
    ),
  }),
});

test('no role may delete an item, but those that free slots an item of a slot', () => {
  const deleters = whoMay(/^dynamodb:(?:Delete|BatchWrite|Transact|PartiQL)/, '');
  const statements = propertiesOf(template, 'AWS::IAM::Policy').flatMap(
    (properties) => Policy.parse(properties).PolicyDocument.Statement,
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
  const managed = propertiesOf(template, 'AWS::IAM::Role').filter(
    (properties) => properties['ManagedPolicyArns'] !== undefined,
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

test('the state machine may invoke its seven functions, set up its log, trace, and do nothing else', () => {
  const [machine] = resourcesOf(template, 'AWS::StepFunctions::StateMachine').values();
  const [role] = [...resourcesOf(template, 'AWS::IAM::Role').keys()].filter((id) => id.includes('StateMachine'));

  const permissions = permissionsOf(template, `\${${role}.Arn}`);

  const invoked = functionNames
    .filter((name) => steps.split(' ').includes(name))
    .map((name) => `\${${idOf(name)}.Arn}`);
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
