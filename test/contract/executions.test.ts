import { planOf } from './launch-fixtures.ts';
import { type ExecutionsUnderTest, startOwnExecutions, startSfnExecutions } from './start-executions.ts';

const ending = new AsyncDisposableStack();
afterAll(() => ending.disposeAsync());

describe.each([
  ['Step Functions', startSfnExecutions],
  ["davit's own process", startOwnExecutions],
])('executions (%s)', (_name, start) => {
  const makeExecutions = async (): Promise<ExecutionsUnderTest> => ending.use(await start());

  test('a launch is started with its plan', async () => {
    const { executions, inputOf, isRunning } = await makeExecutions();

    const started = await executions.start(planOf('job'));

    expect(started).toBe(true);
    expect(inputOf('job')).toMatchObject(planOf('job'));
    expect(isRunning('job')).toBe(true);
  });

  test('a plan with its keys in another order is the same plan', async () => {
    const { executions } = await makeExecutions();
    const plan = planOf('job');
    const { deadlines } = plan;
    await executions.start(plan);

    const reversed = Object.fromEntries(Object.entries(plan).toReversed());
    const started = await executions.start({
      ...plan,
      ...reversed,
      deadlines: { ...deadlines, ...Object.fromEntries(Object.entries(deadlines).toReversed()) },
    });

    expect(started).toBe(true);
  });

  test('a launch that runs with another plan keeps its own', async () => {
    const { executions, inputOf } = await makeExecutions();
    await executions.start(planOf('job'));

    const started = await executions.start(planOf('job', { profile: 'windows' }));

    expect(started).toBe(false);
    expect(inputOf('job')).toMatchObject(planOf('job'));
  });

  test('many starts with one plan at the same time all succeed, and one execution runs', async () => {
    const { executions, isRunning } = await makeExecutions();

    const started = await Promise.all(Array.from({ length: 10 }, () => executions.start(planOf('job'))));

    expect(new Set(started)).toEqual(new Set([true]));
    expect(isRunning('job')).toBe(true);
  });

  test('a launch that was stopped is over, and is not started again', async () => {
    const { executions, isRunning } = await makeExecutions();
    await executions.start(planOf('job'));

    await executions.stop('job', 'the job was completed');

    expect(isRunning('job')).toBe(false);
    expect(await executions.start(planOf('job'))).toBe(false);
  });

  test('a launch that has ended is not started again', async () => {
    const { executions, finish } = await makeExecutions();
    await executions.start(planOf('job'));

    await finish('job');

    expect(await executions.start(planOf('job'))).toBe(false);
  });

  test('a launch that was never started has no status, and does not run', async () => {
    const { executions } = await makeExecutions();
    await executions.start(planOf('other-job'));

    expect(await executions.status('job')).toBeUndefined();
    expect(await executions.running()).toEqual(new Set(['other-job']));
  });

  test('a launch runs until it is over, and then reports how it ended', async () => {
    const { executions, finish } = await makeExecutions();
    for (const job of ['job-a', 'job-b', 'job-c']) await executions.start(planOf(job));
    const before = await executions.status('job-a');
    const running = await executions.running();

    await executions.stop('job-a', 'the job was completed');
    await finish('job-b');

    expect(before).toEqual({ status: 'RUNNING', startedAtEpochMs: expect.any(Number) });
    expect(running).toEqual(new Set(['job-a', 'job-b', 'job-c']));
    expect(await executions.status('job-a')).toEqual({
      status: 'ABORTED',
      startedAtEpochMs: before?.startedAtEpochMs,
      error: 'Terminated',
      cause: 'the job was completed',
    });
    expect(await executions.status('job-b')).toMatchObject({ status: 'SUCCEEDED' });
    expect(await executions.running()).toEqual(new Set(['job-c']));
  });

  test('stopping a launch that is over, or never started, succeeds', async () => {
    const { executions, finish, isRunning } = await makeExecutions();
    await executions.start(planOf('job'));
    await finish('job');

    await executions.stop('job', 'said once');
    await executions.stop('job', 'said twice');
    await executions.stop('other-job', 'said of nothing');

    expect(isRunning('job')).toBe(false);
    expect(await executions.start(planOf('other-job'))).toBe(true);
  });
});
