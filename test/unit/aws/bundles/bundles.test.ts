import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readConfig } from '../../../../core/config/read-config.ts';
import { functionSettings } from '../../../../runtime/function-settings.ts';
import { isolateBundles } from '../../../support/aws/bundles/isolate-bundles.ts';
import { readStack } from '../../../support/aws/bundles/read-stack.ts';
import { awsEnvironment, type LocalServices } from '../../../support/aws/runtime/function-environment.ts';

const services: LocalServices = {
  configFile: '/state/config.json',
  launchesTable: 'launches-here',
  tokensTable: 'tokens-here',
  jobsTable: 'jobs-here',
  clustersTable: 'clusters-here',
  stateMachineArn: 'arn:aws:states:us-east-1:000000000000:stateMachine:here',
  installationId: '0a1b2c3d',
  credentialKeySecret: 'key-here',
  publicUrl: 'http://127.0.0.1:8080',
  secretAccessKey: 'key-of-this-run',
  dynamoDbUrl: '',
  stepFunctionsUrl: '',
  lambdaUrl: '',
  secretsManagerUrl: '',
  eventBridgeUrl: '',
};

const folder = mkdtempSync(join(tmpdir(), 'cdk-out-'));
beforeAll(async () => {
  await mkdir(join(folder, 'asset.1'));
  await writeFile(join(folder, 'asset.1', 'index.mjs'), 'export const handler = () => {};');
  await writeFile(join(folder, 'asset.1', 'davit.json'), '"as it was synthesised"');
});

const allNames = Object.keys(functionSettings);

/** Writes a template with these functions and their environments. */
async function synthesised(Variables: object, names: readonly string[] = allNames): Promise<string> {
  const resource = (Type: string, path: string, more: object = {}) => ({
    Type,
    Metadata: { 'aws:cdk:path': `Davit/Davit/${path}/Resource`, 'aws:asset:path': 'asset.1' },
    ...more,
  });
  const functions = names.map((name) => {
    const Properties = { Description: `davit ${name}`, Handler: 'index.handler', Timeout: 29, MemorySize: 256 };
    return [
      name,
      resource('AWS::Lambda::Function', name, { Properties: { ...Properties, Environment: { Variables } } }),
    ];
  });
  const Resources = {
    ...Object.fromEntries(functions),
    TableA1: resource('AWS::DynamoDB::Table', 'LaunchesTable'),
    TableB2: resource('AWS::DynamoDB::Table', 'TokensTable'),
    ApiC3: resource('AWS::ApiGatewayV2::Api', 'Api/HttpApi'),
    Other: resource('AWS::SQS::Queue', 'FailedCleanUps'),
  };
  await writeFile(join(folder, 'Davit.template.json'), JSON.stringify({ Resources }));
  return folder;
}

async function environmentOf(variables: object): Promise<Record<string, string> | undefined> {
  await using bundles = await isolateBundles(await synthesised(variables), await readConfig('davit.yaml'));
  return bundles.functions(services)['connect']?.env;
}

describe("a function's environment", () => {
  test("has the template's values, each reference resolved, and Lambda's own variables", async () => {
    const environment = await environmentOf({
      TEXT: 'as it is',
      TABLE: { Ref: 'TableB2' },
      OTHER_TABLE: { Ref: 'TableA1' },
      URL: { 'Fn::GetAtt': ['ApiC3', 'ApiEndpoint'] },
      ARN: {
        'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':', { Ref: 'AWS::Region' }, ':bus/', { Ref: 'TableA1' }]],
      },
    });

    expect(environment).toEqual({
      ...awsEnvironment(services, 'connect'),
      TEXT: 'as it is',
      TABLE: 'tokens-here',
      OTHER_TABLE: 'launches-here',
      URL: 'http://127.0.0.1:8080',
      ARN: 'arn:aws:us-east-1:bus/launches-here',
    });
  });

  test.each([
    { Ref: 'Other' },
    { Ref: 'Missing' },
    { 'Fn::GetAtt': ['ApiC3', 'ApiId'] },
    { 'Fn::Sub': '${Other}' },
    { 'Fn::Join': ['', [{ Ref: 'Other' }]] },
  ])('is refused when no local resource replaces %j', async (QUEUE) => {
    await expect(environmentOf({ QUEUE })).rejects.toThrow(/^QUEUE: nothing here stands for \{/);
  });
});

test("a bundle is copied to its own folder, with this run's config instead of the synthesised one", async () => {
  const config = await readConfig('davit.yaml');
  await using bundles = await isolateBundles(await synthesised({ FILE: '/var/task/davit.json' }), config);

  const { modulePath = '', env = {} } = bundles.functions(services)['sweep'] ?? {};

  expect(dirname(modulePath)).not.toContain(folder);
  expect(await readFile(modulePath, 'utf8')).toBe('export const handler = () => {};');
  expect(env['FILE']).toBe(join(dirname(modulePath), 'davit.json'));
  expect(JSON.parse(await readFile(env['FILE'] ?? '', 'utf8'))).toEqual(config);
});

describe('a stack is refused', () => {
  test('when it was not synthesised', () => {
    expect(() => readStack(join(folder, 'none'))).toThrow(/Davit\.template\.json is not there: run `npm run synth`$/);
  });

  test('when it lacks functions', async () => {
    const lacking = await synthesised({}, allNames.slice(2));

    expect(() => readStack(lacking)).toThrow(/has no function webhook, launches$/);
  });
});
