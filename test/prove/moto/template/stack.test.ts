import { readFileSync } from 'node:fs';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
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
    lambda: destroyed(new LambdaClient(options)),
  };
}

/** The table whose logical id contains these words. */
async function tableOf(words: string) {
  const isMeant = ([id, { Type }]: [string, { Type: string }]) => Type === 'AWS::DynamoDB::Table' && id.includes(words);
  const [id = ''] = Object.entries(known.Resources).find(isMeant) ?? [];
  const { Table } = await clients.dynamoDb.send(new DescribeTableCommand({ TableName: made.get(id) }));
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
      const table = await tableOf(words);

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
      const { Functions = [] } = await clients.lambda.send(new ListFunctionsCommand({}));

      expect(Functions.find(({ Description }) => Description === `davit ${name}`)).toMatchObject({
        Timeout: settings.timeoutSeconds,
        MemorySize: settings.memoryMiB,
        Runtime: 'nodejs24.x',
        Handler: 'index.handler',
      });
    },
  );
});
