import { globSync, readFileSync } from 'node:fs';
import { RemovalPolicy } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as z from 'zod';
import { clustersTable, jobsTable, launchesTable, tokensTable } from '../../adapters/aws/table-definitions.ts';
import { functionNames, functionPermissions, reachesClusters } from '../../cdk/function-permissions.ts';
import { type FunctionName, routes } from '../../runtime/function-settings.ts';
import { config, propertiesOf, resourcesOf, synthesise, textOf } from './synthesise.ts';
import { functionsOf, permissionsOf } from './synthesised-function.ts';

const template = synthesise();
const thrownAway = synthesise({ logRetention: RetentionDays.ONE_WEEK, removalPolicy: RemovalPolicy.DESTROY });
const functionOf = functionsOf(template);

function fileOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

describe('the tables', () => {
  test('stay when the stack is deleted, and can be restored to any second', () => {
    template.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: Match.objectLike({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    });
  });

  test('are encrypted by AWS owned keys, or by a given key: none is unencrypted', () => {
    template.allResourcesProperties('AWS::DynamoDB::Table', { SSESpecification: Match.absent() });
  });

  test('are deleted with a stack whose removal policy is DESTROY', () => {
    thrownAway.allResources('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Delete',
      Properties: Match.objectLike({ DeletionProtectionEnabled: false }),
    });
  });

  test.each(Object.entries({ launchesTable, tokensTable, jobsTable, clustersTable }))(
    'have the keys, the indexes and the expiry with which the contracts of the adapters run: %s',
    (_name, { schema: { AttributeDefinitions: _types, ...keys }, timeToLiveAttribute }) => {
      const TimeToLiveSpecification = { AttributeName: timeToLiveAttribute, Enabled: true };

      template.hasResourceProperties('AWS::DynamoDB::Table', { ...keys, TimeToLiveSpecification });
    },
  );
});

describe('the API', () => {
  test('has every route of the manifest, and requires IAM where the manifest says so', () => {
    const found = propertiesOf(template, 'AWS::ApiGatewayV2::Route').map((properties) => ({
      route: properties['RouteKey'],
      authorization: properties['AuthorizationType'],
    }));

    expect(found).toEqual(
      routes.map(({ method, path, authorization }) => ({
        route: `${method} ${path}`,
        authorization: authorization === 'iam' ? 'AWS_IAM' : 'NONE',
      })),
    );
  });

  test('requires IAM except for webhooks and agents, which authenticate themselves', () => {
    const open = propertiesOf(template, 'AWS::ApiGatewayV2::Route')
      .filter((properties) => properties['AuthorizationType'] !== 'AWS_IAM')
      .map((properties) => properties['RouteKey']);

    expect(open).toEqual(['POST /webhooks/{name}', 'POST /agents/{agentName}/connect']);
  });

  test.each(['webhook', 'launches', 'clusters', 'jobs', 'connect'] as const)(
    'gets the answer of %s before it gives up at 30 s',
    (name) => {
      const { timeoutSeconds } = functionOf(name);

      expect(timeoutSeconds).toBeLessThan(30);
    },
  );

  test('throttles callers, and logs requests without a path, a header or an address', () => {
    template.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 1000, ThrottlingBurstLimit: 2000 },
      AccessLogSettings: Match.objectLike({
        Format: JSON.stringify({
          requestId: '$context.requestId',
          routeKey: '$context.routeKey',
          status: '$context.status',
          responseLatencyMs: '$context.responseLatency',
          integrationError: '$context.integrationErrorMessage',
        }),
      }),
    });
  });

  test('serves the webhook URL that the stack prints', () => {
    const [output] = Object.values(template.findOutputs('WebhookUrlgithub'));

    expect(textOf(output?.['Value'])).toMatch(/^\$\{\w+\.ApiEndpoint\}\/webhooks\/github$/);
  });
});

describe("the stack's output of cluster roles", () => {
  const eks = { ...config, clusters: [{ name: 'one', eks: { clusterName: 'builds' } }] };
  const profiles = config.profiles.map((profile) => ({ ...profile, clusters: ['one'] }));

  test('has the roles that need access entries in an EKS cluster outside of the app', () => {
    const [output] = Object.values(synthesise({ config: { ...eks, profiles } }).findOutputs('ClusterRoles'));

    expect(textOf(output?.['Value']).split(' ')).toHaveLength(functionNames.filter(reachesClusters).length);
  });

  test('is missing when every cluster uses a kubeconfig', () => {
    expect(template.findOutputs('ClusterRoles')).toEqual({});
  });
});

/** The functions that handlers call for composition, with their source text. */
const composing = new Map(
  globSync('runtime/compose/*.ts').flatMap((path) =>
    [...fileOf(path).matchAll(/^export function (\w+)(?:<.*>)?\([^]*?\{\n([^]*?)^\}/gm)].map(([, name, body]) => [
      `${name}(`,
      body ?? '',
    ]),
  ),
);

/** The environment variables that a text reads, directly or through the functions that it calls. */
function environmentReadBy(text: string): string[] {
  const own = [...text.matchAll(/\benvironment\('(\w+)'\)/g)].map(([, variable]) => variable ?? '');
  const bundled = text.includes('bundledConfig()') ? ['DAVIT_CONFIG_FILE'] : [];
  const invoked = text.includes('namesInLambda(') ? ['DAVIT_FUNCTIONS'] : [];
  const called = [...composing].filter(([call]) => text.includes(call));
  return [...own, ...bundled, ...invoked, ...called.flatMap(([, body]) => environmentReadBy(body))];
}

/** The functions that a text invokes, directly or through the functions that it calls. */
function invokedBy(text: string): string[] {
  const lists = [...text.matchAll(/\b(?:composeInvokeLater|namesInLambda)\(\[([^\]]*)\]/g)].map(
    ([, list]) => list ?? '',
  );
  const own = lists.flatMap((list) => [...list.matchAll(/'([\w-]+)'/g)].map(([, name]) => name ?? ''));
  const called = [...composing].filter(([call]) => text.includes(call));
  return [...own, ...called.flatMap(([, body]) => invokedBy(body))];
}

test('the search for handlers and what they call finds every composing function', () => {
  const exported = globSync('runtime/compose/*.ts').flatMap(
    (path) => fileOf(path).match(/(?<=^export function )\w+/gm) ?? [],
  );

  expect([...composing.keys()]).toEqual(exported.map((name) => `${name}(`));
  expect(exported.length).toBeGreaterThan(20);
});

/** The variables of every function: for its logs and its metrics. */
const everywhere = ['POWERTOOLS_SERVICE_NAME'];

describe.each(functionNames)('the function %s', (name) => {
  test('is given the environment that its handler reads, and no more', () => {
    const read = environmentReadBy(fileOf(`functions/${name}/handler.ts`));

    const { environment } = functionOf(name);

    expect(new Set(Object.keys(environment))).toEqual(new Set([...read, ...everywhere]));
  });

  test('is given the names of the functions that its handler invokes, and may invoke no other', () => {
    const invoked = new Set(invokedBy(fileOf(`functions/${name}/handler.ts`)));

    const { environment } = functionOf(name);

    expect(new Set(functionPermissions[name].invokes)).toEqual(invoked);
    const names = /^\{.*\}$/.exec(textOf(environment['DAVIT_FUNCTIONS'] ?? '{}'))?.[0] ?? '';
    expect(new Set([...names.matchAll(/"([a-z-]+)":/g)].map(([, key]) => key))).toEqual(invoked);
  });

  test('is given the name of its secret, and never the secret', () => {
    const { environment } = functionOf(name);

    expect(JSON.stringify(environment)).not.toContain('resolve:secretsmanager');
  });
});

test('every function runs on Node 24 on arm64, and has a log group of its own, without lines of Lambda for a success', () => {
  template.allResourcesProperties('AWS::Lambda::Function', {
    Runtime: 'nodejs24.x',
    Architectures: ['arm64'],
    Handler: 'index.handler',
    LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN', LogGroup: { Ref: Match.anyValue() } },
  });
  const groupsOf = propertiesOf(template, 'AWS::Lambda::Function').map((properties) =>
    textOf(Object(properties['LoggingConfig']).LogGroup),
  );
  expect(new Set(groupsOf).size).toBe(functionNames.length);
});

test('every log is kept for a month, and is retained with the tables when the stack is deleted', () => {
  const aMonth = template.findResources('AWS::Logs::LogGroup');

  // One for each function, one for the state machine, one for the API.
  expect(Object.keys(aMonth)).toHaveLength(functionNames.length + 2);
  template.allResources('AWS::Logs::LogGroup', {
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: { RetentionInDays: 30 },
  });
  thrownAway.allResources('AWS::Logs::LogGroup', { DeletionPolicy: 'Delete', Properties: { RetentionInDays: 7 } });
});

test('logs that CloudWatch delivers go to /aws/vendedlogs/, under a name that no other stack has', () => {
  const names = [...resourcesOf(template, 'AWS::Logs::LogGroup')].flatMap(([id, { Properties }]) =>
    Properties['LogGroupName'] === undefined ? [] : [[id, JSON.stringify(Properties['LogGroupName'])] as const],
  );

  expect(names).toEqual([
    [expect.stringContaining('StateMachineLogs'), expect.stringContaining('/aws/vendedlogs/states/Davit')],
    [expect.stringContaining('ApiAccessLogs'), expect.stringContaining('/aws/vendedlogs/apis/Davit')],
  ]);
  for (const [, name] of names) expect(name).toContain('"AWS::StackId"');
});

/** The permitted literal values in an environment: none of them is a secret. */
const ownWords = ['/var/task/davit.json', 'Davit/Davit'];

test('every other variable of a function is the name of a resource of the stack', () => {
  const told = functionNames.flatMap((name) => Object.values(functionOf(name).environment));

  const literal = told
    .map((value) => value.replaceAll(/\$\{[\w.:]+\}/g, '').replaceAll(/[{,]"[a-z-]+":""\}?/g, ''))
    .filter((value) => !ownWords.includes(value));

  expect([...new Set(literal)].toSorted()).toEqual(['', 'arn::events:::event-bus/default']);
});

/** A reference to a function's ARN. */
function arnOf(name: FunctionName) {
  return { 'Fn::GetAtt': [functionOf(name).logicalId, 'Arn'] };
}

describe('the state machine', () => {
  const [machine] = resourcesOf(template, 'AWS::StepFunctions::StateMachine').values();
  const definition = fileOf('statemachine/launch.asl.json');

  test('is the same file that runs everywhere, unchanged', () => {
    expect(machine?.Properties['DefinitionString']).toBe(definition);
    expect(machine?.Properties['StateMachineType']).toBe('STANDARD');
  });

  test("logs failures, without the execution's data, to its own log group", () => {
    expect(machine?.Properties['LoggingConfiguration']).toEqual({
      Level: 'ERROR',
      IncludeExecutionData: false,
      Destinations: [
        {
          CloudWatchLogsLogGroup: {
            LogGroupArn: { 'Fn::GetAtt': [expect.stringContaining('StateMachineLogs'), 'Arn'] },
          },
        },
      ],
    });
  });

  test("has the right function's ARN for each name in the file", () => {
    const substitutions = machine?.Properties['DefinitionSubstitutions'];

    expect(substitutions).toEqual({
      Partition: { Ref: 'AWS::Partition' },
      CreateServiceFunctionArn: arnOf('create-service'),
      PollNodePortFunctionArn: arnOf('poll-node-port'),
      CreatePodFunctionArn: arnOf('create-pod'),
      PollHostIPFunctionArn: arnOf('poll-host-ip'),
      PublishTokenFunctionArn: arnOf('publish-token'),
      RelaunchFunctionArn: arnOf('relaunch'),
      CleanUpFunctionArn: arnOf('clean-up'),
    });
  });
});

test('a clean-up that fails on every attempt goes to a queue', () => {
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    FunctionName: { Ref: functionOf('clean-up').logicalId },
    MaximumRetryAttempts: 2,
    DestinationConfig: {
      OnFailure: { Destination: { 'Fn::GetAtt': [Match.stringLikeRegexp('FailedCleanUps'), 'Arn'] } },
    },
  });
});

/** A reference to the queue of events that EventBridge could not deliver to a function. */
const undelivered = { 'Fn::GetAtt': [Match.stringLikeRegexp('Undelivered'), 'Arn'] };

const Targets = z.object({ Properties: z.object({ Targets: z.array(z.unknown()) }) });

/** The targets of the rule with these properties. */
function targetsOf(properties: Record<string, unknown>): unknown[] {
  const rules = Object.values(template.findResources('AWS::Events::Rule', { Properties: properties }));
  expect(rules).toHaveLength(1);
  return rules.flatMap((rule) => Targets.parse(rule).Properties.Targets);
}

test.each([
  { name: 'sweep', role: 'SweepsRole' },
  { name: 'reconcile', role: 'ReconcilesRole' },
  { name: 'probe', role: 'ProbesRole' },
] as const)('$name runs every minute, and is not retried when it fails', ({ name, role }) => {
  template.hasResourceProperties('AWS::Scheduler::Schedule', {
    ScheduleExpression: 'rate(1 minute)',
    FlexibleTimeWindow: { Mode: 'OFF' },
    State: Match.absent(),
    Target: {
      Arn: arnOf(name),
      RoleArn: { 'Fn::GetAtt': [Match.stringLikeRegexp(role), 'Arn'] },
      Input: '{}',
      RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
      DeadLetterConfig: { Arn: undelivered },
    },
  });
  template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    FunctionName: { Ref: functionOf(name).logicalId },
    MaximumRetryAttempts: 0,
    MaximumEventAgeInSeconds: 60,
  });
});

test.each(['sweep', 'reconcile'] as const)('%s times out before the next one begins', (name) => {
  expect(functionOf(name).timeoutSeconds).toBeLessThan(60);
});

test('an execution that fails, times out or is aborted by a person is cleaned up', () => {
  const [machineId] = resourcesOf(template, 'AWS::StepFunctions::StateMachine').keys();

  const targets = targetsOf({
    EventPattern: {
      source: ['aws.states'],
      'detail-type': ['Step Functions Execution Status Change'],
      detail: {
        stateMachineArn: [{ Ref: machineId }],
        $or: [
          { status: ['FAILED', 'TIMED_OUT'] },
          { status: ['ABORTED'], error: [{ exists: false }] },
          { status: ['ABORTED'], error: [{ 'anything-but': ['Terminated'] }] },
        ],
      },
    },
  });

  const [queueId] = [...resourcesOf(template, 'AWS::SQS::Queue').keys()].filter((id) => id.includes('Undelivered'));
  const deadLetters = { Arn: { 'Fn::GetAtt': [queueId, 'Arn'] } };
  expect(targets).toEqual([{ Arn: arnOf('clean-up'), Id: expect.anything(), DeadLetterConfig: deadLetters }]);
});

test('EventBridge may invoke clean-up, for that rule only', () => {
  template.hasResourceProperties('AWS::Lambda::Permission', {
    Action: 'lambda:InvokeFunction',
    FunctionName: arnOf('clean-up'),
    Principal: 'events.amazonaws.com',
    SourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('CleanUpsAfterEndings'), 'Arn'] },
  });
});

test('EventBridge may queue events that it could not pass to clean-up, for that rule only', () => {
  template.hasResourceProperties('AWS::SQS::QueuePolicy', {
    Queues: [{ Ref: Match.stringLikeRegexp('Undelivered') }],
    PolicyDocument: {
      Statement: Match.arrayWith([
        Match.objectLike({
          Effect: 'Allow',
          Action: 'sqs:SendMessage',
          Principal: { Service: 'events.amazonaws.com' },
          Condition: {
            ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [Match.stringLikeRegexp('CleanUpsAfterEndings'), 'Arn'] } },
          },
        }),
      ]),
    },
  });
});

test('the schedule is created after the policy that allows it to invoke sweep', () => {
  template.hasResource('AWS::Scheduler::Schedule', {
    DependsOn: Match.arrayWith([Match.stringLikeRegexp('SweepsRoleDefaultPolicy')]),
  });
});

test("the schedule may only invoke sweep and queue its failures, and no other account's schedule may use its role", () => {
  const [roleId] = [...resourcesOf(template, 'AWS::IAM::Role').keys()].filter((id) => id.includes('SweepsRole'));

  const permissions = permissionsOf(template, `\${${roleId}.Arn}`);

  expect(permissions).toEqual([
    { action: 'lambda:InvokeFunction', resource: `\${${functionOf('sweep').logicalId}.Arn}` },
    { action: 'sqs:SendMessage', resource: expect.stringMatching(/^\$\{\w*Undelivered\w*\.Arn\}$/) },
  ]);
  template.hasResourceProperties('AWS::IAM::Role', {
    AssumeRolePolicyDocument: {
      Statement: [
        {
          Principal: { Service: 'scheduler.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        },
      ],
    },
  });
});

test('every queue is encrypted, accepts only TLS, and keeps messages for two weeks', () => {
  const queueIds = [...resourcesOf(template, 'AWS::SQS::Queue').keys()];

  template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 });
  for (const queueId of queueIds) {
    template.hasResourceProperties('AWS::SQS::QueuePolicy', {
      Queues: [{ Ref: queueId }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: 'sqs:*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    });
  }
  expect(queueIds).toHaveLength(3);
});

test("the key of agents' credentials is generated, and long enough for HS256", () => {
  template.hasResourceProperties('AWS::SecretsManager::Secret', {
    GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true },
  });
});

test('functions on the way to a launch send traces, unless tracing is off', () => {
  const untraced = synthesise({ tracing: false });
  const alone = new Set(['sweep', 'reconcile', 'poll-ci', 'probe', 'publish-events']);

  for (const functionName of functionNames) {
    const TracingConfig = alone.has(functionName) ? Match.absent() : { Mode: 'Active' };
    template.hasResourceProperties('AWS::Lambda::Function', { Description: `davit ${functionName}`, TracingConfig });
  }
  template.allResourcesProperties('AWS::StepFunctions::StateMachine', { TracingConfiguration: { Enabled: true } });
  untraced.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: Match.absent() });
});

test("runners are named after the first group of the UUID in the stack's id", () => {
  const uuid = { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] };

  template.hasResourceProperties('AWS::Lambda::Function', {
    Description: 'davit register-runner',
    Environment: { Variables: { DAVIT_INSTALLATION_ID: { 'Fn::Select': [0, { 'Fn::Split': ['-', uuid] }] } } },
  });
});
