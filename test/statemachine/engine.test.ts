import { describe, expect, test } from '@jest/globals';
import { planOf } from '../contract/launch-fixtures.ts';
import { failing, runLaunch, thrown } from './run-launch.ts';
import { steps } from './steps.ts';

const exposed = planOf('github-1-2-1');
const notExposed = planOf('github-1-2-1', { expose: 'none' });

const launchSteps = Object.keys(steps).filter((name) => name !== 'CleanUp');
const pendingSteps = launchSteps.filter((name) => steps[name]?.pends);

describe('a launch that works', () => {
  test('enters 7 states, in the one order', async () => {
    const run = await runLaunch(exposed);

    expect(run.entered).toEqual([
      'IsExposed',
      'CreateService',
      'PollNodePort',
      'CreatePod',
      'PollHostIP',
      'PublishToken',
      'AwaitAgent',
    ]);
    expect(run.error).toBeUndefined();
  });

  test('enters 5 when it is not exposed', async () => {
    const run = await runLaunch(notExposed);

    expect(run.entered).toEqual(['IsExposed', 'CreatePod', 'PollHostIP', 'PublishToken', 'AwaitAgent']);
    expect(run.error).toBeUndefined();
  });

  test('ends with the plan and what each step added, and nothing more', async () => {
    const { output } = await runLaunch(exposed);

    expect(output).toEqual({
      ...exposed,
      service: { uid: 'service-uid', createdAtEpochMs: 1_767_225_600_100 },
      nodePort: { port: 30_080, readAtEpochMs: 1_767_225_600_200 },
      pod: { uid: 'pod-uid', resourceVersion: '7', createdAtEpochMs: 1_767_225_600_300 },
      placement: { host: '10.0.0.7', resourceVersion: '9', placedAtEpochMs: 1_767_225_600_400 },
      token: { publishedAtEpochMs: 1_767_225_600_500 },
      agent: { connectedAtEpochMs: 1_767_225_600_600 },
    });
  });

  test('gives each step what the steps before it have added', async () => {
    const { inputs } = await runLaunch(exposed);

    expect(Object.keys(inputs['AwaitAgent']?.[0] ?? {})).toEqual([
      ...Object.keys(exposed),
      'service',
      'nodePort',
      'pod',
      'placement',
      'token',
    ]);
    expect(inputs['CreateService']).toEqual([exposed]);
  });
});

test('anything but none goes the whole way: nothing falls back to a launch without a Service', async () => {
  const run = await runLaunch({ ...exposed, expose: 'nodeport' });

  expect(run.entered.slice(0, 2)).toEqual(['IsExposed', 'CreateService']);
});

describe.each(pendingSteps)('%s that is too early', (name) => {
  test('is run again until it is not, in the same state', async () => {
    const run = await runLaunch(exposed, { [name]: failing(25, thrown.pending) });

    expect(run.error).toBeUndefined();
    expect(run.entered).toHaveLength(7);
    expect(run.inputs[name]).toHaveLength(26);
  });
});

describe.each(launchSteps)('%s', (name) => {
  test('that fails on the way is run again, with the same data', async () => {
    const run = await runLaunch(exposed, { [name]: failing(3, thrown.transient) });

    expect(run.error).toBeUndefined();
    expect(run.entered).toHaveLength(7);
    expect(run.inputs[name]).toHaveLength(4);
    expect(new Set(run.inputs[name]?.map((input) => JSON.stringify(input))).size).toBe(1);
  });

  test('that Lambda could not run is run again', async () => {
    const run = await runLaunch(exposed, { [name]: failing(6, thrown.byLambda) });

    expect(run.error).toBeUndefined();
    expect(run.inputs[name]).toHaveLength(7);
  });

  test('that fails for good is cleaned up after, and davit’s code is the execution’s error', async () => {
    const run = await runLaunch(exposed, { [name]: failing(1, thrown.terminal) });

    expect(run.inputs[name]).toHaveLength(1);
    expect(run.entered.slice(-3)).toEqual([name, 'CleanUp', 'LaunchFailed']);
    expect(run.inputs['CleanUp']).toMatchObject([
      { launchId: 'github-1-2-1', failure: { Error: 'TerminalError', Cause: thrown.terminal.message } },
    ]);
    expect(run.error).toEqual({ name: 'ImagePullFailed', message: 'ImagePullFailed: manifest unknown' });
  });

  test('that fails by a defect is cleaned up after, and not run again', async () => {
    const run = await runLaunch(exposed, { [name]: failing(1, new TypeError('x is undefined')) });

    expect(run.inputs[name]).toHaveLength(1);
    expect(run.inputs['CleanUp']).toMatchObject([{ failure: { Error: 'TypeError', Cause: 'x is undefined' } }]);
  });

  test('whose attempts are used up is cleaned up after', async () => {
    const run = await runLaunch(exposed, { [name]: failing(Number.POSITIVE_INFINITY, thrown.transient) });

    expect(run.inputs[name]).toHaveLength(31);
    expect(run.entered.slice(-3)).toEqual([name, 'CleanUp', 'LaunchFailed']);
  });
});

test('a failure of a launch that is not exposed is cleaned up after, too', async () => {
  const run = await runLaunch(notExposed, { PollHostIP: failing(1, thrown.terminal) });

  expect(run.entered).toEqual(['IsExposed', 'CreatePod', 'PollHostIP', 'CleanUp', 'LaunchFailed']);
});

test('a PendingError that PublishToken cannot throw is not waited for', async () => {
  const run = await runLaunch(exposed, { PublishToken: failing(1, thrown.pending) });

  expect(run.entered.slice(-3)).toEqual(['PublishToken', 'CleanUp', 'LaunchFailed']);
});

describe('CleanUp', () => {
  const failed = { CreatePod: failing(Number.POSITIVE_INFINITY, thrown.terminal) };

  test('that is too early is run again until all is gone', async () => {
    const run = await runLaunch(exposed, { ...failed, CleanUp: failing(60, thrown.pending) });

    expect(run.inputs['CleanUp']).toHaveLength(61);
    expect(run.entered.at(-1)).toBe('LaunchFailed');
  });

  test('that never sees all gone says so: something may be left', async () => {
    const run = await runLaunch(exposed, { ...failed, CleanUp: failing(Number.POSITIVE_INFINITY, thrown.pending) });

    expect(run.inputs['CleanUp']).toHaveLength(61);
    expect(run.entered.at(-1)).toBe('CleanUpFailed');
    expect(run.error).toEqual({ name: 'PendingError', message: thrown.pending.message });
  });

  test('that fails for good says so', async () => {
    const run = await runLaunch(exposed, { ...failed, CleanUp: failing(1, thrown.terminal) });

    expect(run.entered.slice(-3)).toEqual(['CreatePod', 'CleanUp', 'CleanUpFailed']);
    expect(run.error).toEqual({ name: 'TerminalError', message: thrown.terminal.message });
  });
});
