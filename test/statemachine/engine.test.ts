import { describe, expect, test } from '@jest/globals';
import { TerminalError } from '../../functions/domain/errors.ts';
import { nextGeneration } from '../../functions/domain/plan-launch.ts';
import { planOf } from '../contract/launch-fixtures.ts';
import { Data, failing, runLaunch, thrown } from './run-launch.ts';
import { steps } from './steps.ts';

const exposed = planOf('github-1-2-1');
const notExposed = planOf('github-1-2-1', { expose: 'none' });

const launchSteps = Object.keys(steps).filter((name) => name !== 'CleanUp' && name !== 'Relaunch');
const pendingSteps = launchSteps.filter((name) => steps[name]?.pends);
const relaunchingSteps = launchSteps.filter((name) => steps[name]?.relaunches);
const wholeWay = [
  'IsExposed',
  'CreateService',
  'PollNodePort',
  'CreatePod',
  'PollHostIP',
  'PublishToken',
  'AwaitAgent',
];

describe('a launch that works', () => {
  test('enters 7 states, in the one order', async () => {
    const run = await runLaunch(exposed);

    expect(run.entered).toEqual(wholeWay);
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
      service: { uid: 'service-uid', createdAtEpochMs: 1_767_225_600_100, lookPauseSeconds: 11 },
      nodePort: { port: 30_080, readAtEpochMs: 1_767_225_600_200 },
      pod: {
        uid: 'pod-uid',
        resourceVersion: '7',
        createdAtEpochMs: 1_767_225_600_300,
        lookPauseSeconds: 11,
        made: {
          uid: 'pod-uid',
          resourceVersion: '7',
          credentialId: '4a1c2f0e-7d3b-4e58-9b61-0c5d2e8f7a90',
          createdAtEpochMs: 1_767_225_600_300,
        },
      },
      placement: { host: '10.0.0.7', resourceVersion: '9', placedAtEpochMs: 1_767_225_600_400 },
      token: { publishedAtEpochMs: 1_767_225_600_500, lookPauseSeconds: 19 },
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
    const run = await runLaunch(exposed, { [name]: failing(100, thrown.transient) });

    expect(run.error).toBeUndefined();
    expect(run.entered).toHaveLength(7);
    expect(run.inputs[name]).toHaveLength(101);
    expect(new Set(run.inputs[name]?.map((input) => JSON.stringify(input))).size).toBe(1);
  });

  test('that Lambda could not run is run again', async () => {
    const run = await runLaunch(exposed, { [name]: failing(100, thrown.byLambda) });

    expect(run.error).toBeUndefined();
    expect(run.inputs[name]).toHaveLength(101);
  });

  test("that fails for good is cleaned up after, and davit's code is the execution's error", async () => {
    const run = await runLaunch(exposed, { [name]: failing(1, thrown.terminal) });

    expect(run.inputs[name]).toHaveLength(1);
    expect(run.entered.slice(-4)).toEqual([name, 'CleanUp', 'IsConnected', 'LaunchFailed']);
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
    const run = await runLaunch(exposed, { [name]: failing(Number.POSITIVE_INFINITY, thrown.death) });

    expect(run.inputs[name]).toHaveLength(7);
    expect(run.entered.slice(-4)).toEqual([name, 'CleanUp', 'IsConnected', 'LaunchFailed']);
  });
});

describe.each(launchSteps)('a failure of %s after the agent has connected', (name) => {
  test.each([
    ['terminal', thrown.terminal],
    ['a death', thrown.death],
    ['a defect', new TypeError('x is undefined')],
  ])('ends the execution well when CleanUp has left the launch alone: %s', async (_kind, error) => {
    const run = await runLaunch(exposed, {
      [name]: failing(Number.POSITIVE_INFINITY, error),
      CleanUp: () => ({ code: 'ObserverFailed', message: 'ObserverFailed: the agent has connected and goes on' }),
    });

    expect(run.entered.slice(-4)).toEqual([name, 'CleanUp', 'IsConnected', 'AgentConnected']);
    expect(run.error).toBeUndefined();
  });
});

test('a failure of a launch that is not exposed is cleaned up after, too', async () => {
  const run = await runLaunch(notExposed, { PollHostIP: failing(1, thrown.terminal) });

  expect(run.entered).toEqual(['IsExposed', 'CreatePod', 'PollHostIP', 'CleanUp', 'IsConnected', 'LaunchFailed']);
});

test('a PendingError that PublishToken cannot throw is not waited for', async () => {
  const run = await runLaunch(exposed, { PublishToken: failing(1, thrown.pending) });

  expect(run.entered.slice(-4)).toEqual(['PublishToken', 'CleanUp', 'IsConnected', 'LaunchFailed']);
});

describe.each(relaunchingSteps)('%s that finds its Pod taken by infrastructure', (name) => {
  test('leads through Relaunch to the whole way once more', async () => {
    const run = await runLaunch(exposed, { [name]: failing(1, thrown.relaunch) });

    const untilThere = wholeWay.slice(0, wholeWay.indexOf(name) + 1);
    expect(run.error).toBeUndefined();
    expect(run.entered).toEqual([...untilThere, 'Relaunch', ...wholeWay]);
  });

  test('tells Relaunch the plan and the failure', async () => {
    const { inputs } = await runLaunch(exposed, { [name]: failing(1, thrown.relaunch) });

    expect(inputs['Relaunch']).toMatchObject([
      { ...exposed, failure: { Error: 'RelaunchError', Cause: thrown.relaunch.message } },
    ]);
  });

  test('leaves nothing of the generation before in the data of the next', async () => {
    const { inputs, output } = await runLaunch(exposed, { [name]: failing(1, thrown.relaunch) });

    const next = {
      ...exposed,
      agentName: 'davit-github-1-2-1-r2',
      generation: 2,
      startedAtEpochMs: 1_767_225_630_000,
    };
    expect(inputs['CreateService']).toEqual([exposed, next]);
    expect(output).toMatchObject({ ...next, agent: { connectedAtEpochMs: 1_767_225_600_600 } });
    expect(output).not.toHaveProperty('failure');
  });

  test("may do so time and again: how often is Relaunch's to say", async () => {
    const run = await runLaunch(exposed, { [name]: failing(8, thrown.relaunch) });

    expect(run.error).toBeUndefined();
    expect(run.inputs['Relaunch']).toHaveLength(8);
    expect(run.entered.slice(-7)).toEqual(wholeWay);
  });

  test('is cleaned up after when Relaunch refuses, with the error that Relaunch gives', async () => {
    const refusal = new TerminalError('PodEvicted', 'not launched again: it was launched 3 times');
    const run = await runLaunch(exposed, {
      [name]: failing(Number.POSITIVE_INFINITY, thrown.relaunch),
      Relaunch: failing(1, refusal),
    });

    expect(run.entered.slice(-5)).toEqual([name, 'Relaunch', 'CleanUp', 'IsConnected', 'LaunchFailed']);
    expect(run.inputs['CleanUp']).toMatchObject([
      { ...exposed, failure: { Error: 'TerminalError', Cause: refusal.message } },
    ]);
  });
});

describe('Relaunch', () => {
  test('of a launch that is not exposed leads to its shorter way', async () => {
    const next = nextGeneration(notExposed, 1_767_225_630_000);
    const run = await runLaunch(notExposed, {
      PollHostIP: failing(1, thrown.relaunch),
      Relaunch: () => Data.parse(next),
    });

    expect(run.entered.slice(2)).toEqual([
      'PollHostIP',
      'Relaunch',
      'IsExposed',
      'CreatePod',
      'PollHostIP',
      'PublishToken',
      'AwaitAgent',
    ]);
  });

  test.each([
    { what: 'fails on the way', error: thrown.transient, times: 30 },
    { what: 'Lambda could not run', error: thrown.byLambda, times: 6 },
  ])('that $what is run again, with the same data', async ({ error, times }) => {
    const run = await runLaunch(exposed, {
      AwaitAgent: failing(1, thrown.relaunch),
      Relaunch: failing(times, error),
    });

    expect(run.error).toBeUndefined();
    expect(run.inputs['Relaunch']).toHaveLength(times + 1);
    expect(new Set(run.inputs['Relaunch']?.map((input) => JSON.stringify(input))).size).toBe(1);
  });

  test.each([
    { what: 'whose attempts are used up', error: thrown.transient, attempts: 31 },
    { what: 'that fails by a defect', error: new TypeError('x is undefined'), attempts: 1 },
    { what: 'that would be too early, which it cannot be,', error: thrown.pending, attempts: 1 },
    { what: 'that would be relaunched, which it cannot be,', error: thrown.relaunch, attempts: 1 },
  ])('$what is cleaned up after', async ({ error, attempts }) => {
    const run = await runLaunch(exposed, {
      AwaitAgent: failing(1, thrown.relaunch),
      Relaunch: failing(Number.POSITIVE_INFINITY, error),
    });

    expect(run.inputs['Relaunch']).toHaveLength(attempts);
    expect(run.entered.slice(-4)).toEqual(['Relaunch', 'CleanUp', 'IsConnected', 'LaunchFailed']);
  });
});

test.each(launchSteps.filter((name) => !relaunchingSteps.includes(name)))(
  'a RelaunchError that %s cannot throw is cleaned up after',
  async (name) => {
    const run = await runLaunch(exposed, { [name]: failing(1, thrown.relaunch) });

    expect(run.entered.slice(-4)).toEqual([name, 'CleanUp', 'IsConnected', 'LaunchFailed']);
  },
);

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
