import { readFileSync } from 'node:fs';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, ListRulesCommand, ListTargetsByRuleCommand } from '@aws-sdk/client-eventbridge';
import { LambdaClient, ListEventSourceMappingsCommand, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { DescribeStateMachineCommand, SFNClient } from '@aws-sdk/client-sfn';
import { clustersTable, jobsTable, launchesTable, tokensTable } from '../../../../adapters/aws/table-definitions.ts';
import { functionSettings } from '../../../../runtime/function-settings.ts';
import { synthesise } from '../../../cdk/synthesise.ts';
import { LOCAL_REGION } from '../../../support/aws/lambda/function-name.ts';
import { startMoto } from '../moto-server.ts';
import { leftOut, TemplateShape, unknownToMoto } from './left-out.ts';
import { makeStack } from './make-stack.ts';

const template = TemplateShape.parse(synthesise().toJSON());
const known = leftOut(template, unknownToMoto);

const started = new AsyncDisposableStack();
let clients: ReturnType<typeof clientsOf>;
let made: Map<string, string>;
beforeAll(async () => {
  clients = clientsOf(started.use(await startMoto()).url);
  // `cdk bootstrap` creates this parameter in an account: the template reads its version.
  const bootstrap = new URL(
    '../../../../node_modules/aws-cdk/lib/api/bootstrap/bootstrap-template.yaml',
    import.meta.url,
  );
  await makeStack(clients.cloudFormation, 'CDKToolkit', readFileSync(bootstrap, 'utf8'));
  made = await makeStack(clients.cloudFormation, 'Davit', JSON.stringify(known));
});
afterAll(() => started.disposeAsync());

function clientsOf(endpoint: string) {
  const options = { endpoint, region: LOCAL_REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const destroyed = <T extends { destroy(): void }>(client: T) => started.adopt(client, () => client.destroy());
  return {
    cloudFormation: destroyed(new CloudFormationClient(options)),
    dynamoDb: destroyed(new DynamoDBClient(options)),
    eventBridge: destroyed(new EventBridgeClient(options)),
    lambda: destroyed(new LambdaClient(options)),
    stepFunctions: destroyed(new SFNClient(options)),
  };
}

/** The physical name of the only resource of a type whose logical id contains these words. */
function nameOf(type: string, words = ''): string {
  const ids = Object.entries(known.Resources).filter(([id, { Type }]) => Type === type && id.includes(words));
  const [name, ...others] = ids.flatMap(([id]) => made.get(id) ?? []);
  if (name === undefined || others.length > 0) throw new Error(`${ids.length} of ${type} ${words} were made`);
  return name;
}

/** The existing functions, by their names in the manifest. */
async function functionsThere() {
  const { Functions = [] } = await clients.lambda.send(new ListFunctionsCommand({}));
  return new Map(Functions.map((one) => [one.Description?.replace(/^davit /, ''), one]));
}

async function tableNamed(TableName: string) {
  const { Table } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName }));
  return Table;
}

describe("moto's CloudFormation", () => {
  test('creates every resource of the template whose type it knows', () => {
    expect([...made.keys()].toSorted()).toEqual(Object.keys(known.Resources).toSorted());
    expect(made.size).toBeGreaterThan(70);
  });

  test('knows none of the excluded types, and the template has each of them', async () => {
    const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));
    const bare = Object.fromEntries(unknownToMoto.map((Type, index) => [`R${index}`, { Type }]));

    const madeOfThem = await makeStack(clients.cloudFormation, 'LeftOut', JSON.stringify({ Resources: bare }));

    expect([...madeOfThem.keys()]).toEqual([]);
    expect(unknownToMoto.filter((type) => !types.has(type))).toEqual([]);
  });
});

describe('the deployed stack', () => {
  test.each([
    ['LaunchesTable', launchesTable],
    ['TokensTable', tokensTable],
    ['JobsTable', jobsTable],
    ['ClustersTable', clustersTable],
  ])(
    "%s has the keys and indices of the local runtime's, cannot be deleted, and has a stream if it is published",
    async (words, own) => {
      const table = await tableNamed(nameOf('AWS::DynamoDB::Table', words));

      const { KeySchema, GlobalSecondaryIndexes = [] } = own.schema;
      expect(table).toMatchObject({ KeySchema, DeletionProtectionEnabled: true });
      const indices = GlobalSecondaryIndexes.map((index) => expect.objectContaining({ KeySchema: index.KeySchema }));
      expect(table?.GlobalSecondaryIndexes ?? []).toEqual(indices);
      expect(table?.StreamSpecification?.StreamViewType).toBe(own.isPublished ? 'NEW_AND_OLD_IMAGES' : undefined);
    },
  );

  test.each(Object.entries(functionSettings))(
    'the function %s is set up as the manifest says',
    async (name, settings) => {
      const found = (await functionsThere()).get(name);

      expect(found).toMatchObject({
        Timeout: settings.timeoutSeconds,
        MemorySize: settings.memoryMiB,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
      });
    },
  );

  test('functions get the real names of the tables, the state machine and clean-up', async () => {
    const told = [...(await functionsThere()).values()].flatMap(({ Environment }) =>
      Object.entries(Environment?.Variables ?? {}),
    );

    const namesOf = (variable: string) => [...new Set(told.flatMap(([key, value]) => (key === variable ? value : [])))];
    expect(namesOf('DAVIT_LAUNCHES_TABLE')).toEqual([nameOf('AWS::DynamoDB::Table', 'LaunchesTable')]);
    expect(namesOf('DAVIT_TOKENS_TABLE')).toEqual([nameOf('AWS::DynamoDB::Table', 'TokensTable')]);
    expect(namesOf('DAVIT_STATE_MACHINE_ARN')).toEqual([nameOf('AWS::StepFunctions::StateMachine')]);
    expect(namesOf('DAVIT_FUNCTIONS').map((text) => JSON.parse(text)['clean-up'])).toContain(
      nameOf('AWS::Lambda::Function', 'CleanUp'),
    );
  });

  // moto applies no substitutions: davit-stack.test.ts checks those.
  test('the state machine is the very file that the local runtime runs', async () => {
    const stateMachineArn = nameOf('AWS::StepFunctions::StateMachine');

    const found = await clients.stepFunctions.send(new DescribeStateMachineCommand({ stateMachineArn }));

    expect(found.type).toBe('STANDARD');
    expect(found.definition).toBe(readFileSync('statemachine/launch.asl.json', 'utf8'));
  });

  test('publish-events reads the streams of the tables that have one', async () => {
    const { EventSourceMappings = [] } = await clients.lambda.send(new ListEventSourceMappingsCommand({}));

    const tables = ['LaunchesTable', 'TokensTable', 'ClustersTable'].map((words) =>
      tableNamed(nameOf('AWS::DynamoDB::Table', words)),
    );
    const streams = (await Promise.all(tables)).map((table) => table?.LatestStreamArn);
    const publishEvents = (await functionsThere()).get('publish-events');
    expect(EventSourceMappings.map(({ EventSourceArn }) => EventSourceArn)).toEqual(expect.arrayContaining(streams));
    expect(EventSourceMappings.map(({ FunctionArn }) => FunctionArn)).toEqual(
      streams.map(() => publishEvents?.FunctionArn),
    );
  });

  test("EventBridge sends clean-up the events of this state machine's executions, and of no other's", async () => {
    const { Rules: [rule, ...others] = [] } = await clients.eventBridge.send(new ListRulesCommand({}));

    const { Targets } = await clients.eventBridge.send(new ListTargetsByRuleCommand({ Rule: rule?.Name }));

    expect(others).toEqual([]);
    expect(JSON.parse(rule?.EventPattern ?? '')).toMatchObject({
      detail: { stateMachineArn: [nameOf('AWS::StepFunctions::StateMachine')] },
    });
    const cleanUp = (await functionsThere()).get('clean-up');
    expect(Targets).toMatchObject([{ Arn: cleanUp?.FunctionArn }]);
  });
});
