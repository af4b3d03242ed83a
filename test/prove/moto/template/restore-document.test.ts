import { symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateContinuousBackupsCommand,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { launchesTable } from '../../../../adapters/aws/table-definitions.ts';
import { rootFolder } from '../../../../cdk/bundling.ts';
import { runProcess } from '../../../../scripts/run-process.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { shellBlocks } from '../../../support/shell-blocks.ts';
import { startMoto } from '../moto-server.ts';
import { awsCli } from '../python.ts';

const TableName = 'TABLE';
const [restore, copy, remove] = shellBlocks(join(rootFolder, 'docs/operations.md'))
  .filter(({ heading }) => heading === 'Restoring the tables')
  .map(({ text }) => text);
const identity = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };

const started = new AsyncDisposableStack();
let tables: DynamoDBDocumentClient;
let env: Record<string, string | undefined>;

beforeAll(async () => {
  const folder = newFolder();
  symlinkSync(awsCli, join(folder, 'aws'));
  const { url } = started.use(await startMoto());
  const settings = { endpoint: url, region: 'eu-central-1', credentials: identity };
  tables = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
  started.defer(() => tables.destroy());
  env = {
    PATH: [folder, process.env['PATH']].join(delimiter),
    HOME: folder,
    AWS_ENDPOINT_URL: url,
    AWS_DEFAULT_REGION: settings.region,
    AWS_ACCESS_KEY_ID: identity.accessKeyId,
    AWS_SECRET_ACCESS_KEY: identity.secretAccessKey,
  };
  await tables.send(new CreateTableCommand({ TableName, ...launchesTable.schema }));
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
  await tables.send(new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification }));
});
afterAll(() => started.disposeAsync());

/** Runs a block of the document unchanged. */
async function run(block: string | undefined) {
  if (block === undefined) throw new Error('docs/operations.md has fewer blocks under Restoring the tables');
  return await runProcess('bash', ['--norc', '-c', block], { cwd: rootFolder, env });
}

async function put(Item: Record<string, unknown>): Promise<void> {
  await tables.send(new PutCommand({ TableName, Item: { requestedAtEpochMs: 1_780_308_000_000, ...Item } }));
}

async function items(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await tables.send(new ScanCommand({ TableName }));
  return Items.toSorted((one, other) => String(one['launchId']).localeCompare(String(other['launchId'])));
}

/** Values with characters that a shell may split or expand. */
const log = `can't open "a\\b"\n  $(id) \`id\` * é 🚢\ttab\n`;

test('the commands that restore a table bring back lost items, and keep items written since', async () => {
  await put({ launchId: 'a-lost', status: 'failed', diagnostics: { log: { text: log }, events: [] } });
  await put({ launchId: 'b-changed', status: 'launching' });
  await put({ launchId: 'c-same', status: 'connected' });
  const before = await items();

  const restored = await run(restore);
  await tables.send(new DeleteCommand({ TableName, Key: { launchId: 'a-lost' } }));
  await put({ launchId: 'b-changed', status: 'connected' });
  await put({ launchId: 'd-new', status: 'launching' });
  const changed = await items();
  const copied = await run(copy);

  expect([restored.exitCode, copied.exitCode]).toEqual([0, 0]);
  expect(await items()).toEqual([before[0], ...changed]);
  expect(copied.output.trim().split('\n').toSorted()).toEqual([
    'kept what is there: b-changed',
    'kept what is there: c-same',
  ]);
});

test('a failing copy reports the reason, and ends', async () => {
  await tables.send(new DeleteTableCommand({ TableName }));

  const { exitCode, output } = await run(copy);

  expect(exitCode).toBe(1);
  expect(output).toMatch(/ResourceNotFoundException/);
  expect(output).not.toContain('kept');
});

test('the restored table is removed in the end', async () => {
  expect((await run(remove)).exitCode).toBe(0);
  expect((await tables.send(new ListTablesCommand({}))).TableNames).toEqual([]);
});
