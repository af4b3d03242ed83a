import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { runCli } from '../../../../cli/run-cli.ts';
import { LOCAL_REGION } from '../../../support/aws/lambda/function-name.ts';
import { recordingTerminal } from '../../../support/recording-terminal.ts';
import { type AwsTestRuntime, startAwsTestRuntime } from '../../../support/start-aws-test-runtime.ts';
import { startMoto } from '../moto-server.ts';
import { makeStack } from './make-stack.ts';
import { passOn } from './pass-on.ts';
import { type SignedGateway, startSignedGateway } from './signed-gateway.ts';

/** A stack with these outputs, and one dummy resource. */
function templateOf(outputs: Readonly<Record<string, string>>): string {
  const Outputs = Object.fromEntries(Object.entries(outputs).map(([key, Value]) => [key, { Value }]));
  return JSON.stringify({ Resources: { Topic: { Type: 'AWS::SNS::Topic' } }, Outputs });
}

const before = { ...process.env };
const started = new AsyncDisposableStack();
let davit: AwsTestRuntime;
let gateway: SignedGateway;
beforeAll(async () => {
  davit = started.use(await startAwsTestRuntime());
  const { services, url, launchesToken } = davit.runtime;
  const identity = {
    accessKeyId: 'caller',
    secretAccessKey: services.secretAccessKey,
    sessionToken: 'a/session+token=',
  };
  const ofDavit = {
    to: url,
    headers: /^(content-type|idempotency-key)$/,
    added: { authorization: `Bearer ${launchesToken}` },
  };
  gateway = started.use(await startSignedGateway(identity, (request, body) => passOn(request, body, ofDavit)));
  const moto = started.use(await startMoto());
  // Uses the caller's own credential chain, like every other command.
  Object.assign(process.env, {
    AWS_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: identity.accessKeyId,
    AWS_SECRET_ACCESS_KEY: identity.secretAccessKey,
    AWS_SESSION_TOKEN: identity.sessionToken,
    AWS_ENDPOINT_URL_CLOUDFORMATION: moto.url,
    AWS_ENDPOINT_URL_S3: moto.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: moto.url,
    AWS_ENDPOINT_URL_STS: moto.url,
    AWS_ENDPOINT_URL_LAMBDA: services.lambdaUrl,
  });
  const client = started.adopt(new CloudFormationClient(), (one) => one.destroy());
  await makeStack(
    client,
    'Davit',
    templateOf({ ApiUrl: `${gateway.url}/`, SweepFunction: 'sweep', ReconcileFunction: 'reconcile' }),
  );
  await makeStack(client, 'Other', templateOf({ Url: gateway.url }));
});
afterAll(async () => {
  process.env = before;
  await started.disposeAsync();
});

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const terminal = recordingTerminal(env);
  const exitCode = (await runCli(args, terminal)) ?? 0;
  return { exitCode, lines: terminal.lines, notes: terminal.notes };
}

describe("a deployed davit, found by its stack's outputs and called with signed requests,", () => {
  const ask = (...args: string[]) => run([...args, '--stack', 'Davit']);

  test('launches, waits, lists, shows, ends and sweeps', async () => {
    const [profile = ''] = davit.config.profiles.map(({ name }) => name);

    const launched = await ask('launch', profile, '--job', 'build/7', '-o', 'json');
    const { launchId } = JSON.parse(launched.lines.join('\n'));
    const waited = await ask('wait', launchId, '--timeout', '100s');
    const listed = await ask('list', '--status', 'connected,launching', '--profile', profile, '--since', '1h');
    const shown = await ask('show', launchId);
    const ended = await ask('end', launchId);
    const swept = await ask('sweep', '--dry-run');

    expect(waited).toEqual({ exitCode: 0, lines: [`${launchId}  connected`], notes: [] });
    expect(listed.lines.at(-1)).toMatch(new RegExp(`^${launchId}  connected  ${profile}`));
    expect(shown.lines.join('\n')).toMatch(/requested\n.*the Service exists\n[^]*has connected/);
    expect(ended.lines).toEqual([`${launchId}  cleaning`]);
    expect(swept.lines.at(-1)).toMatch(/looked at \d+ launches and \d+ objects/);
    expect(gateway.refused).toBe(0);
  });

  test('is not destroyed while a launch is in flight', async () => {
    const [profile = ''] = davit.config.profiles.map(({ name }) => name);
    const launched = await ask('launch', profile, '--job', 'build/8', '-o', 'json');
    const { launchId } = JSON.parse(launched.lines.join('\n'));

    const refused = await ask('destroy', '--yes');
    await ask('end', launchId);

    expect(refused.exitCode).toBe(1);
    expect(refused.notes.at(-2)).toMatch(
      /^error launches-in-flight: launches in flight: \d+; nothing would end their agents$/,
    );
    expect((await ask('list')).exitCode).toBe(0);
  });

  test('is found through DAVIT_STACK, too', async () => {
    expect(await run(['list'], { DAVIT_STACK: 'Davit' })).toMatchObject({ exitCode: 0, notes: [] });
  });
});

describe('a mistake is reported', () => {
  test.each([
    ['there is no such stack', ['list', '--stack', 'None'], 3, /^error no-stack: /],
    [
      "the stack is not davit's",
      ['list', '--stack', 'Other'],
      3,
      /^error no-davit: the stack Other has no output ApiUrl/,
    ],
  ])('%s', async (_what, args, exitCode, words) => {
    const ran = await run(args);

    expect(ran.exitCode).toBe(exitCode);
    expect(ran.notes[0]).toMatch(words);
  });

  test('the API refuses the signature', async () => {
    const secretAccessKey = process.env['AWS_SECRET_ACCESS_KEY'];
    process.env['AWS_SECRET_ACCESS_KEY'] = 'another';
    const ran = await run(['list', '--stack', 'Davit']);
    process.env['AWS_SECRET_ACCESS_KEY'] = secretAccessKey;

    expect(ran).toMatchObject({ exitCode: 4, lines: [] });
    expect(ran.notes).toEqual(['error http-403: Forbidden', 'Check who calls: --token, or the AWS credentials.']);
    // The list asks for each status.
    expect(gateway.refused).toBeGreaterThan(0);
  });
});
