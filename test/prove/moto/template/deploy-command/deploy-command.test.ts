import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  ListChangeSetsCommand,
} from '@aws-sdk/client-cloudformation';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { GetObjectCommand, ListBucketsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { strFromU8, unzipSync } from 'fflate';
import * as z from 'zod';
import { rootFolder } from '../../../../../cdk/bundling.ts';
import { functionNames } from '../../../../../cdk/function-permissions.ts';
import { makeConfig } from '../../../../../cli/init/make-config.ts';
import { runProcess } from '../../../../../scripts/run-process.ts';
import { LOCAL_REGION } from '../../../../support/aws/lambda/function-name.ts';
import { newFolder } from '../../../../support/new-folder.ts';
import { commandsIn, shellBlocks } from '../../../../support/shell-blocks.ts';
import { type FakeGitea, startFakeGitea } from '../../../../support/start-fake-gitea.ts';
import { startMoto } from '../../moto-server.ts';
import { installPacked } from './install-packed.ts';
import { type Account, startAccount } from './start-account.ts';

const folder = newFolder();
const started = new AsyncDisposableStack();
let davit: string;
let account: Account;
let gitea: FakeGitea;
let clients: ReturnType<typeof clientsOf>;
const credentials = { AWS_REGION: LOCAL_REGION, AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
const withToken = ['--secret', 'davit-token-gitea=token'];

beforeAll(async () => {
  davit = await installPacked(folder);
  account = started.use(await startAccount(started.use(await startMoto()).url));
  clients = clientsOf(account.url);
  gitea = await startFakeGitea();
  started.defer(() => gitea.stop());
  writeFileSync(join(folder, 'token'), 'a-token\n');
  const cluster = { kind: 'eks', name: 'builds', clusterName: 'builds' } as const;
  const first = { ci: 'gitea', entry: { url: gitea.url }, cluster, namespace: 'agents' } as const;
  writeFileSync(join(folder, 'davit.yaml'), makeConfig({ ...first, labels: ['linux'] }));
});
beforeEach(() => {
  account.calls.length = 0;
  account.isLost = () => false;
});
afterAll(() => started.disposeAsync());

function clientsOf(endpoint: string) {
  const options = { endpoint, region: LOCAL_REGION, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  return {
    cloudFormation: new CloudFormationClient(options),
    lambda: new LambdaClient(options),
    s3: new S3Client(options),
    secretsManager: new SecretsManagerClient(options),
  };
}

function start(command: string, ...more: string[]) {
  const args = [davit, ...command.split(' '), ...more];
  const env = { PATH: process.env['PATH'], ...credentials, AWS_ENDPOINT_URL: account.url };
  return spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function run(command: string, ...more: string[]) {
  const child = start(command, ...more);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { exitCode: child.exitCode, stdout, stderr };
}

/** Kills a deployment, as a closed laptop does, right before its n-th call of this kind reaches AWS. */
async function killAt(call: RegExp, n: number, command: string) {
  const child = start(command, ...withToken);
  account.isLost = (one) => {
    const isReached = call.test(one) && account.calls.filter((other) => call.test(other)).length >= n;
    if (isReached) child.kill('SIGKILL');
    return isReached;
  };
  await once(child, 'close');
  account.isLost = () => false;
  expect(child.signalCode).toBe('SIGKILL');
}

async function stackStatus(StackName: string) {
  const { Stacks: [stack] = [] } = await clients.cloudFormation.send(new DescribeStacksCommand({ StackName }));
  return stack?.StackStatus;
}

async function secret(SecretId: string) {
  return (await clients.secretsManager.send(new GetSecretValueCommand({ SecretId }))).SecretString;
}

const bucket = `davit-davit-000000000000-${LOCAL_REGION}`;
async function keysIn(Bucket: string) {
  const { Contents = [] } = await clients.s3.send(new ListObjectsV2Command({ Bucket }));
  return Contents.map(({ Key = '' }) => Key);
}

const Template = z.looseObject({
  Resources: z.record(z.string(), z.looseObject({ Properties: z.record(z.string(), z.unknown()).optional() })),
});
const Code = z.object({ S3Bucket: z.string(), S3Key: z.string() });

function codeOf(template: string, description: string) {
  const found = Object.values(Template.parse(JSON.parse(template)).Resources).find(
    ({ Properties }) => Properties?.['Description'] === description && Properties['Code'] !== undefined,
  );
  return Code.parse(found?.Properties?.['Code']);
}

const uploads = () => account.calls.filter((call) => call.startsWith('PUT bundles/')).length;

describe('before anything is made', () => {
  test('--dry-run says what would be made, and makes nothing', async () => {
    const functions = functionNames.length;

    const { exitCode, stdout } = await run('deploy --dry-run', ...withToken);

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^account 000000000000, region /);
    expect(stdout).toMatch(/^stack Davit: is made$/m);
    expect(stdout).toContain(`\nbundles: ${functions} of ${functions} are uploaded\n`);
    expect(stdout).toMatch(/^secret davit-webhook-gitea .*: is made from random bytes$/m);
    expect(stdout).toContain(`\n+  ${functions} × AWS::Lambda::Function\n`);
    expect(stdout).not.toMatch(/a-token/);
    expect((await clients.s3.send(new ListBucketsCommand({}))).Buckets).toEqual([]);
    expect(account.calls).not.toContain('CreateSecret');
  });

  test('--policy prints the policy of this account and stack', async () => {
    const { exitCode, stdout } = await run('deploy --policy --stack Builds');

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).Statement).toContainEqual({
      Sid: 'Bundles',
      Effect: 'Allow',
      Action: ['s3:DeleteObject', 's3:GetObject', 's3:PutObject'],
      Resource: `arn:aws:s3:::davit-builds-000000000000-${LOCAL_REGION}/*`,
    });
  });

  test('without a person and without --yes, nothing is made', async () => {
    const { exitCode, stderr } = await run('deploy', ...withToken);

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/error option-missing: --yes is required/);
    expect(account.calls.filter((call) => call.startsWith('PUT') || call.startsWith('Create'))).toEqual([]);
  });

  test('diff shows what a new stack would have', async () => {
    expect(await run('diff')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\+ +\d+ × AWS::/) });
  });
});

describe('a deployment that is killed', () => {
  test('while it uploads is continued by the next: only the rest is uploaded', async () => {
    await killAt(/^PUT bundles\//, 12, 'deploy --yes');
    const before = (await keysIn(bucket)).length;
    account.calls.length = 0;

    const { exitCode, stdout } = await run('deploy --yes --no-doctor --scope acme', ...withToken);

    expect(exitCode).toBe(0);
    expect(before).toBeGreaterThanOrEqual(8);
    expect(uploads()).toBe(functionNames.length - before);
    expect(stdout).toMatch(/^made +webhook of gitea: acme: https:\/\/api\.invalid\/webhooks\/gitea$/m);
    expect(stdout).not.toContain('get-secret-value');
    expect(stdout).toMatch(/^agents connect at: https:\/\/api\.invalid\/agents\/AGENT\/connect$/m);
    expect(await stackStatus('Davit')).toBe('CREATE_COMPLETE');
  });

  test('between the change set and its execution leaves a stack that the next deletes and makes', async () => {
    await killAt(/^ExecuteChangeSet$/, 1, 'deploy --yes --stack Half');
    account.calls.length = 0;

    const { exitCode, stdout, stderr } = await run('deploy --yes --no-doctor --no-webhook --stack Half', ...withToken);

    expect(exitCode).toBe(0);
    expect(uploads()).toBe(0);
    expect(stderr).toMatch(/^the stack is REVIEW_IN_PROGRESS, and holds no davit$/m);
    expect(stdout).toMatch(
      /^webhooks of gitea: https:\/\/api\.invalid\/webhooks\/gitea\n +their secret: aws secretsmanager get/m,
    );
    expect(gitea.hooks).toHaveLength(1);
    expect(await stackStatus('Half')).toBe('CREATE_COMPLETE');
  });
});

describe('the deployed davit', () => {
  test('has the functions of the bundles, with the config beside them', async () => {
    const { Functions = [] } = await clients.lambda.send(new ListFunctionsCommand({}));
    const { TemplateBody = '' } = await clients.cloudFormation.send(new GetTemplateCommand({ StackName: 'Davit' }));
    const { S3Bucket, S3Key } = codeOf(TemplateBody, 'davit sweep');

    const { Body } = await clients.s3.send(new GetObjectCommand({ Bucket: S3Bucket, Key: S3Key }));
    const files = unzipSync((await Body?.transformToByteArray()) ?? new Uint8Array());

    const ofDavit = Functions.filter(({ FunctionName = '' }) => FunctionName.startsWith('Davit-'));
    expect(new Set(ofDavit.map(({ Description }) => Description))).toEqual(
      new Set(functionNames.map((name) => `davit ${name}`)),
    );
    expect(Object.keys(files).toSorted()).toEqual(['davit.json', 'index.mjs', 'index.mjs.map']);
    expect(JSON.parse(strFromU8(files['davit.json'] ?? new Uint8Array()))).toMatchObject({
      ciSystems: [{ name: 'gitea' }],
    });
  });

  test('has its secrets: the given one, and one of random bytes', async () => {
    expect(await secret('davit-token-gitea')).toBe('a-token');
    expect(await secret('davit-webhook-gitea')).toMatch(/^[0-9a-f]{64}$/);
  });

  test('has its webhook in the CI system, signed by that secret', async () => {
    expect(gitea.hooks).toEqual([
      {
        id: 1,
        url: 'https://api.invalid/webhooks/gitea',
        secret: await secret('davit-webhook-gitea'),
        events: ['workflow_job'],
        active: true,
        place: 'orgs/acme',
      },
    ]);
  });

  test('is deployed again without a change; a CI system that refuses is told of, and the stack stays', async () => {
    const before = await secret('davit-webhook-gitea');
    gitea.refusal = { status: 403, message: 'no owner' };

    const { exitCode, stdout, stderr } = await run('deploy --yes --no-doctor --scope acme');
    delete gitea.refusal;

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^failed +webhook of gitea: acme: CiRefused: .*no owner/m);
    expect(stdout).toMatch(/^webhooks of gitea: https:\/\/api\.invalid\/webhooks\/gitea$/m);
    expect(stderr).toMatch(/davit webhook --stack NAME/);
    expect(stderr).toMatch(/^the stack Davit is up to date$/m);
    expect(uploads()).toBe(0);
    expect(account.calls).not.toContain('ExecuteChangeSet');
    expect(await secret('davit-webhook-gitea')).toBe(before);
  });

  test('diff shows no changes, then those of an option, and leaves no change set', async () => {
    const same = await run('diff');
    const changed = await run('diff --public-url https://davit.example.com');

    expect(same).toMatchObject({ exitCode: 0, stdout: 'no changes\n' });
    expect(changed.exitCode).toBe(0);
    expect(changed.stdout).toMatch(/^~ AWS::Lambda::Function {2}DavitCreatePodFunction/m);
    const { Summaries } = await clients.cloudFormation.send(new ListChangeSetsCommand({ StackName: 'Davit' }));
    expect(
      Summaries?.filter(({ StackName, ExecutionStatus }) => StackName === 'Davit' && ExecutionStatus === 'AVAILABLE'),
    ).toEqual([]);
  });

  test('gets a new version of a secret, and an option, by another deployment', async () => {
    writeFileSync(join(folder, 'token'), 'another\n');

    const { exitCode, stdout } = await run(
      'deploy --yes --no-doctor --public-url https://davit.example.com',
      ...withToken,
    );

    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^failed +webhook of gitea: no organization is known$/m);
    expect(stdout).toMatch(/^webhooks of gitea: https:\/\/davit\.example\.com\/webhooks\/gitea$/m);
    expect(await secret('davit-token-gitea')).toBe('another');
    expect(await stackStatus('Davit')).toBe('UPDATE_COMPLETE');
  });

  test('ends with doctor, whose problems are the exit code', async () => {
    const { exitCode, stdout, stderr } = await run('deploy --yes --public-url https://davit.example.com');

    expect(`${stdout}${stderr}`).toMatch(/^problem {2}cluster builds: access of davit's roles|^problem {2}davit:/m);
    expect(exitCode).toBe(1);
  });
});

describe('davit destroy', () => {
  test('of a stack that does not exist says so', async () => {
    expect(await run('destroy --yes --stack None')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/^error no-stack: there is no stack None in account 000000000000/),
    });
  });

  test('asks first, and deletes nothing without an answer', async () => {
    const { exitCode, stderr } = await run('destroy');

    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^keeps 4 × AWS::DynamoDB::Table: Davit-/m);
    expect(stderr).toMatch(/error option-missing: --yes/);
    expect(await stackStatus('Davit')).toBe('UPDATE_COMPLETE');
  });

  test('deletes the stack and the bucket, keeps the secrets, and says so', async () => {
    const { exitCode, stdout, stderr } = await run('destroy --yes');

    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^davit cannot be asked for launches in flight: .*api\.invalid/m);
    expect(stdout).toMatch(/^the stack Davit and its bucket are deleted$/m);
    expect(stdout).toMatch(/^kept: aws secretsmanager delete-secret .* --secret-id davit-token-gitea deletes it$/m);
    await expect(stackStatus('Davit')).rejects.toThrow(/does not exist/);
    const { Buckets = [] } = await clients.s3.send(new ListBucketsCommand({}));
    expect(Buckets.map(({ Name }) => Name)).toEqual([bucket.replace('davit-davit', 'davit-half')]);
    expect(await secret('davit-token-gitea')).toBe('another');
  });
});

test('four commands lead from an empty folder to a davit on AWS, with its webhook', async () => {
  const block = shellBlocks(join(rootFolder, 'docs/deploy.md')).find(({ text: of }) => of.startsWith('davit init'));
  const commands = commandsIn(block ?? { text: '' });
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const more = '--yes --no-doctor --stack Newcomer';
  const programs = {
    davit: `case $1 in deploy) set -- "$@" ${more} ;; esac; exec ${process.execPath} ${davit} "$@"`,
    kubectl: 'exec cat > applied.yaml',
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const own = { GITEA: gitea.url, GITEA_TOKEN: 'a-token', AWS_ENDPOINT_URL: account.url };
  const env = { ...credentials, ...own, PATH: `${folder}:${process.env['PATH']}` };

  const outputs: string[] = [];
  for (const command of commands) {
    const { exitCode, output } = await runProcess('bash', ['-c', `set -eo pipefail\n${command}`], { cwd: empty, env });
    expect({ command, exitCode, output }).toMatchObject({ exitCode: 0 });
    outputs.push(output);
  }

  expect(commands.length).toBeLessThanOrEqual(4);
  expect(readFileSync(join(empty, 'applied.yaml'), 'utf8')).toMatch(/kind: RoleBinding/);
  expect(outputs.at(-1)).toMatch(/^(made|corrected) +webhook of gitea: acme: https:\/\/api\.invalid\/webhooks\/gitea/m);
  expect(await stackStatus('Newcomer')).toBe('CREATE_COMPLETE');
  await run('destroy --yes --stack Newcomer');
});
