import {
  createSfnClient,
  createSfnExecutions,
  executionArnOf,
  type LaunchMachine,
} from '../../../../adapters/aws/create-sfn-executions.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';
import { awsError, awsOutput, type ScriptedAnswer, scriptedAwsOfTests } from '../../../support/start-scripted-aws.ts';

const stateMachineArn = 'arn:aws:states:eu-west-1:123456789012:stateMachine:davit-launch';
const executionArn = 'arn:aws:states:eu-west-1:123456789012:execution:davit-launch:job';

const aws = scriptedAwsOfTests();

async function machineThatAnswers(answer: ScriptedAnswer): Promise<LaunchMachine> {
  return { client: createSfnClient((await aws.start(answer)).settings), stateMachineArn };
}

function lastRequest(): unknown {
  return JSON.parse(aws.requests.at(-1)?.body ?? '');
}

describe('the ARN of an execution', () => {
  test.each([
    ['arn:aws:states:eu-west-1:123456789012:stateMachine:davit-launch'],
    ['arn:aws:states:eu-west-1:123456789012:stateMachine:davit-launch:live'],
    ['arn:aws:states:eu-west-1:123456789012:stateMachine:davit-launch:12'],
  ])("of %s has the state machine's name, unqualified", (arn) => {
    expect(executionArnOf(arn, 'job')).toBe(executionArn);
  });

  test('is in the partition of the state machine', () => {
    const arn = 'arn:aws-cn:states:cn-north-1:123456789012:stateMachine:davit-launch:live';

    expect(executionArnOf(arn, 'job')).toBe('arn:aws-cn:states:cn-north-1:123456789012:execution:davit-launch:job');
  });

  test.each([
    ['arn:aws:states:eu-west-1:123456789012:execution:davit-launch:job'],
    ['arn:aws:states:eu-west-1:123456789012:stateMachine:davit-launch/map'],
    ['arn:aws:lambda:eu-west-1:123456789012:function:clean-up'],
    ['davit-launch'],
  ])('is not made of %s', (arn) => {
    expect(() => executionArnOf(arn, 'job')).toThrow(arn);
  });
});

test('the input of an execution has its keys in one order at every depth', async () => {
  const executions = createSfnExecutions(await machineThatAnswers(awsOutput({ executionArn, startDate: 1 })));

  await executions.start(planOf('job'));

  expect(lastRequest()).toEqual({
    stateMachineArn,
    name: 'job',
    input:
      '{"agentName":"davit-job","agentPort":8811,"cluster":"sandbox","deadlines":{"connectSeconds":600,' +
      '"nodePortRangeSeconds":600,"nodePortSeconds":60,"placementSeconds":900,"podSeconds":600,' +
      '"publishSeconds":60,"quotaSeconds":600,"serviceSeconds":600},' +
      `"executionArn":"${executionArn}",` +
      '"expose":"nodePort","generation":1,' +
      '"graces":{"containerSeconds":30,"imagePullSeconds":30},"hostAddress":"hostIP","launchId":"job","maxRelaunches":2,' +
      '"namespace":"davit-agents","profile":"linux","requestedAtEpochMs":1767225600000,' +
      '"startedAtEpochMs":1767225600000,"tls":false}',
  });
});

test('an execution continues the trace of the request for its launch', async () => {
  const executions = createSfnExecutions(await machineThatAnswers(awsOutput({ executionArn, startDate: 1 })));
  const traceHeader = 'Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1';

  await executions.start(planOf('job', { traceHeader }));

  expect(lastRequest()).toMatchObject({ name: 'job', traceHeader, input: expect.stringContaining(traceHeader) });
});

test.each([['ExecutionLimitExceeded'], ['ThrottlingException']])(
  'a start that is refused by %s may be repeated',
  async (name) => {
    const executions = createSfnExecutions(await machineThatAnswers(awsError(400, name, 'later')));

    await expect(executions.start(planOf('job'))).rejects.toMatchObject({
      code: 'StoreUnavailable',
      message: expect.stringContaining(`SFN StartExecution: ${name}: later`),
    });
  },
);

test('the running executions of the machine are listed, page after page', async () => {
  const { settings, requests } = await aws.start(
    awsOutput({ executions: [{ name: 'job-a' }, { name: 'job-b' }], nextToken: 'more' }),
    awsOutput({ executions: [{ name: 'job-c' }] }),
  );
  const client = createSfnClient(settings);
  const executions = createSfnExecutions({ client, stateMachineArn: `${stateMachineArn}:live` });

  const running = await executions.running();

  expect(running).toEqual(new Set(['job-a', 'job-b', 'job-c']));
  expect(requests.map(({ body }) => JSON.parse(body))).toEqual([
    { stateMachineArn, statusFilter: 'RUNNING', maxResults: 1000 },
    { stateMachineArn, statusFilter: 'RUNNING', maxResults: 1000, nextToken: 'more' },
  ]);
});

test('the status of a failed execution has its start, error and cause, and none of its data', async () => {
  const failure = { status: 'FAILED', error: 'ImagePullFailed', cause: 'not found' };
  const output = { executionArn, ...failure, startDate: 1_780_308_000.5, input: '{}' };
  const executions = createSfnExecutions(await machineThatAnswers(awsOutput(output)));

  const status = await executions.status('job');

  expect(status).toEqual({ ...failure, startedAtEpochMs: 1_780_308_000_500 });
  expect(lastRequest()).toEqual({ executionArn });
});

test.each([['StateMachineDoesNotExist'], ['AccessDeniedException']])('%s passes unchanged', async (name) => {
  const executions = createSfnExecutions(await machineThatAnswers(awsError(400, name, 'no')));

  await expect(executions.start(planOf('job'))).rejects.toMatchObject({ name });
  await expect(executions.stop('job', 'cause')).rejects.toMatchObject({ name });
});
