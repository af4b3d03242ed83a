import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { rootFolder } from '../../../../../cdk/bundling.ts';
import { type ProcessResult, runProcess } from '../../../../../scripts/run-process.ts';
import { newFolder } from '../../../../support/new-folder.ts';
import { type ShellBlock, shellBlocks } from '../../../../support/shell-blocks.ts';
import { startMoto } from '../../moto-server.ts';
import { awsCli } from '../../python.ts';
import { type Account, startAccount } from './account.ts';
import { type LaunchGateway, startLaunchGateway } from './launch-gateway.ts';

const identity = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'secret/of+this=test',
  sessionToken: 'token/of+this=test',
};
/** The pages in the order in which a reader needs them. */
const pages = ['deploy.md', 'aws-network.md', 'aws-operate.md', 'aws-rotate.md', 'aws-remove.md'];
/** Without the block of the first job, whose Gitea and cluster `../deploy-command` has. */
const blocks = pages
  .flatMap((page) => shellBlocks(join(rootFolder, 'docs', page)).map((block) => ({ ...block, page })))
  .filter(({ text }) => !text.startsWith('davit init'));
const folder = newFolder();
const calls = join(folder, 'calls');
const programs = ['aws', 'davit', 'kubectl', 'sleep'];
/** The stack's outputs that the document reads. */
const outputs = {
  ApiUrl: 'http://a1b2c3d4.execute-api.eu-central-1.amazonaws.com',
  ClusterRoles: 'arn:aws:iam::111122223333:role/Davit-A arn:aws:iam::111122223333:role/Davit-B',
  SecurityGroups: '',
};

const started = new AsyncDisposableStack();
let gateway: LaunchGateway;
let account: Account;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  gateway = started.use(await startLaunchGateway(identity));
  const moto = started.use(await startMoto());
  for (const program of programs)
    symlinkSync(join(rootFolder, 'test/prove/moto/template/deploy/programs'), join(folder, program));
  writeFileSync(join(folder, '.curlrc'), `connect-to = "::127.0.0.1:${gateway.signed.port}"\n`);
  writeFileSync(
    join(folder, 'builds.yaml'),
    readFileSync(join(rootFolder, 'davit.yaml'), 'utf8').replaceAll('sandbox', 'builds'),
  );
  environment = {
    PATH: [folder, process.env['PATH']].join(delimiter),
    HOME: folder,
    CURL_HOME: folder,
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: moto.url,
    AWS_ACCESS_KEY_ID: identity.accessKeyId,
    AWS_SECRET_ACCESS_KEY: identity.secretAccessKey,
    AWS_SESSION_TOKEN: identity.sessionToken,
    DAVIT_AWS_CLI: awsCli,
    DAVIT_CALLS: calls,
    DAVIT_CONFIG: join(folder, 'builds.yaml'),
    DAVIT_NODE: process.execPath,
    DAVIT_ROOT: rootFolder.replace(/\/$/, ''),
  };
  const [nodes, ciServer, functions] = [
    await securityGroup('nodes'),
    await securityGroup('ci'),
    await securityGroup('fn'),
  ];
  account = started.use(await startAccount(moto.url, nodes));
  environment = { ...environment, AWS_ENDPOINT_URL: account.url, CI_SERVER_GROUP: ciServer };
  await succeed(
    `aws cloudformation create-stack --stack-name Davit --template-body '${JSON.stringify(stackTemplate(functions))}'`,
  );
  await succeed('aws logs create-log-group --log-group-name davit-retained');
  await succeed(
    'aws dynamodb create-table --table-name davit-retained --deletion-protection-enabled --billing-mode PAY_PER_REQUEST' +
      ' --attribute-definitions AttributeName=id,AttributeType=S --key-schema AttributeName=id,KeyType=HASH',
  );
  account.retained.push(['AWS::DynamoDB::Table', 'davit-retained'], ['AWS::Logs::LogGroup', 'davit-retained']);
  await succeed(
    "aws secretsmanager create-secret --name generated --description 'davit: signs the credentials of agents' --secret-string one",
  );
});
afterAll(() => started.disposeAsync());

function stackTemplate(securityGroups: string) {
  const Outputs = Object.entries({ ...outputs, SecurityGroups: securityGroups }).map(([key, Value]) => [
    key,
    { Value },
  ]);
  return { Resources: { Topic: { Type: 'AWS::SNS::Topic' } }, Outputs: Object.fromEntries(Outputs) };
}

async function run(script: string, more: Record<string, string> = {}): Promise<ProcessResult> {
  const args = ['--norc', '-eu', '-o', 'pipefail', '-c', script];
  return await runProcess('bash', args, { cwd: folder, env: { ...environment, ...more } });
}

async function succeed(script: string): Promise<string> {
  const { exitCode, output } = await run(script);
  if (exitCode !== 0) throw new Error(`${script}\nended with ${exitCode}: ${output}`);
  return output.trim();
}

async function securityGroup(name: string): Promise<string> {
  return await succeed(
    `aws ec2 create-security-group --group-name ${name} --description ${name} --query GroupId --output text`,
  );
}

function blockWith(command: string): ShellBlock {
  const found = blocks.filter(({ text }) => text.includes(command));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of the pages about AWS have ${command}`);
  return only;
}

/** Creates the new kubeconfig that a block expects from the reader. */
function preparationOf({ text }: ShellBlock): string {
  return text.includes('file://kubeconfig.yaml') && !text.includes('cat > kubeconfig.yaml')
    ? 'echo new > kubeconfig.yaml'
    : ':';
}

/** The pages as one script that prints its position. */
const document = blocks
  .map((block) => `echo "=== ${block.page}, line ${block.line}"\n${preparationOf(block)}\n${block.text}`)
  .join('\n');
const sigv4 = () =>
  `export API_URL=${outputs.ApiUrl}\n${/^sigv4\(\) \{$[^]*?^\}$/m.exec(blockWith('"jobId":"try-1"').text)?.[0]}`;

describe('the commands of the pages about AWS', () => {
  let result: ProcessResult;
  let called: string;
  beforeAll(async () => {
    result = await run(document);
    called = readFileSync(calls, 'utf8');
  }, 900_000);

  test('run from the first to the last', () => {
    expect(result).toEqual({ exitCode: 0, output: expect.any(String) });
    expect(blocks.length).toBeGreaterThan(20);
    expect(result.output).toContain(`=== ${blocks.at(-1)?.page}, line ${blocks.at(-1)?.line}`);
  });

  test('are all signed as AWS requires', () => {
    expect(gateway.signed.refused).toBe(0);
  });

  test('give the roles an access entry in a cluster whose authentication mode allows it, and take it back', () => {
    const entries = called.split('\n').filter((call) => /access-entry /.test(call));

    expect(account.cluster.authenticationMode).toBe('API_AND_CONFIG_MAP');
    expect(entries.map((call) => call.replace(/ --kubernetes-groups davit$/, ''))).toEqual(
      ['create', 'delete'].flatMap((verb) =>
        outputs.ClusterRoles.split(' ').map(
          (role) => `aws eks ${verb}-access-entry --cluster-name builds --principal-arn ${role}`,
        ),
      ),
    );
    expect([...account.accessEntries]).toEqual([]);
  });

  test('leave nothing of a failed first deployment', async () => {
    expect(await succeed('aws dynamodb list-tables --query TableNames --output text')).toBe('');
    expect(await succeed("aws logs describe-log-groups --query 'logGroups[].logGroupName' --output text")).toBe('');
  });

  test('end every existing launch, and count down to none', async () => {
    const counted = await succeed(`${sigv4()}\n${blockWith("jq -e '[").text}`);

    expect(counted).toBe('0');
    expect([...gateway.launches]).toEqual([
      ['github-1-2-1', 'terminated'],
      ['github-1-3-1', 'terminated'],
      ['github-1-4-1', 'failed'],
      ['api-try-1-1', 'terminated'],
    ]);
  });

  test('rotate secrets, and have them deleted after a recovery window', async () => {
    const secrets = await succeed(
      "aws secretsmanager list-secrets --include-planned-deletion --query 'SecretList[?DeletedDate!=`null`].Name' --output text",
    );

    expect(secrets.split('\t').toSorted()).toEqual(['davit-kubeconfig-builds', 'davit-webhook-github']);
    expect(called).toMatch(
      /^aws secretsmanager put-secret-value --secret-id arn:aws:secretsmanager:\S+:generated-\w+ /m,
    );
  });
});

describe('when the API refuses the requests', () => {
  const refused = { AWS_SECRET_ACCESS_KEY: 'another' };

  test('the teardown does not report that no launch is left', async () => {
    const { exitCode, output } = await run(`${sigv4()}\n${blockWith("jq -e '[").text}`, refused);

    expect(exitCode).not.toBe(0);
    expect(output).toContain('403');
    expect(output).not.toMatch(/^\d+$/m);
  });

  test('the teardown ends no launch and fails', async () => {
    const { exitCode } = await run(`${sigv4()}\n${blockWith('sigv4 -X DELETE').text}`, refused);

    expect(exitCode).not.toBe(0);
  });
});

test('every query is sorted and encoded, as versions of curl need it that sign the query unchanged', () => {
  const queries = blocks.flatMap(({ text }) =>
    [...text.matchAll(/"\$API_URL[^"?]*\?([^"]*)"/g)].map(([, query]) => query),
  );

  expect(queries.length).toBeGreaterThan(0);
  for (const query of queries) {
    const canonical = new URLSearchParams(query);
    canonical.sort();
    expect(query).toBe(canonical.toString());
  }
});
