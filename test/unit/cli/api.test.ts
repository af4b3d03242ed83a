import { problemError } from '../../../cli/api/client.ts';
import { signed } from '../../../cli/api/signed.ts';
import { installationIdOfStack, openStack } from '../../../cli/api/stack.ts';
import { exitCodes } from '../../../cli/exit-codes.ts';
import { scriptedAwsOfTests } from '../../support/start-scripted-aws.ts';

const credentials = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };

describe('a request to a deployed davit', () => {
  test('is signed for execute-api with its body and query, and sends them unchanged', async () => {
    const request = new Request('https://api.example.com/launches?status=failed', { method: 'POST', body: '{"a":1}' });

    const sent = await signed(request, { region: 'eu-central-1', credentials });

    expect(sent.headers.get('authorization')).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-central-1\/execute-api\/aws4_request, SignedHeaders=[^,]*host[^,]*, Signature=[0-9a-f]{64}$/,
    );
    expect(sent.url).toBe(request.url);
    expect(await sent.text()).toBe('{"a":1}');
    expect(JSON.stringify([...sent.headers])).not.toContain('secret');
  });
});

describe('a stack', () => {
  const before = { ...process.env };
  const aws = scriptedAwsOfTests();
  afterEach(() => {
    process.env = { ...before };
  });

  /** Answers the caller's next question to CloudFormation. */
  async function answer(status: number, body: string): Promise<void> {
    const { url } = await aws.start({ status, body, headers: { 'content-type': 'text/xml' } });
    const { accessKeyId, secretAccessKey } = credentials;
    const caller = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_MAX_ATTEMPTS: '1' };
    Object.assign(process.env, { ...caller, AWS_ENDPOINT_URL_CLOUDFORMATION: url });
  }

  const output = (key: string, value: string) =>
    `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`;
  const stackId = 'arn:aws:cloudformation:eu-central-1:111122223333:stack/Davit/7e3f8a10-0b5d-11ee-8c99-0242ac120002';
  const stackOf = (outputs: string) =>
    '<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks>' +
    `<member><StackId>${stackId}</StackId><StackName>Davit</StackName><StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${outputs}</Outputs></member>` +
    '</Stacks></DescribeStacksResult></DescribeStacksResponse>';
  const errorOf = (code: string, message: string) =>
    `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;

  test('is found by its outputs', async () => {
    const functions = output('SweepFunction', 'sweep-1') + output('ReconcileFunction', 'reconcile-1');
    await answer(200, stackOf(output('ApiUrl', 'https://api.example.com/') + functions));

    expect((await openStack('Davit', 'eu-central-1')).url).toBe('https://api.example.com');
  });

  test('has the installation id that its functions have, from its id', async () => {
    await answer(200, stackOf(''));

    expect(await installationIdOfStack('Davit', 'eu-central-1')).toBe('7e3f8a10');
  });

  const missing = 'Stack with id Davit does not exist';
  test.each([
    ['of another program', 200, stackOf(output('Other', 'x')), 'unknown', 'no-davit'],
    ['that does not exist', 400, errorOf('ValidationError', missing), 'unknown', 'no-stack'],
    ['that the caller may not see', 403, errorOf('AccessDenied', 'not authorized'), 'refused', 'AccessDenied'],
  ])('%s is reported', async (_what, status, body, reason, code) => {
    await answer(status, body);

    await expect(openStack('Davit', 'eu-central-1')).rejects.toMatchObject({ name: 'CliError', reason, code });
  });
});

test.each([
  [404, { type: 'https://davit.dev/problems/launch-unknown', title: 'x', detail: 'y' }, 'launch-unknown', 3],
  [400, { type: 'https://davit.dev/problems/request-invalid', title: 'x', detail: 'y' }, 'request-invalid', 2],
  [503, { type: 'https://davit.dev/problems/unavailable', title: 'x', detail: 'y' }, 'unavailable', 5],
  [403, { message: 'Forbidden' }, 'http-403', 4],
  [429, { message: 'Too Many Requests' }, 'http-429', 5],
  [500, undefined, 'http-500', 5],
])('an answer %i %j has the code %s and the exit code %i', (status, body, code, exitCode) => {
  const error = problemError(status, body);

  expect(error.code).toBe(code);
  expect(exitCodes[error.reason].code).toBe(exitCode);
});
