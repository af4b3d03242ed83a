import { TerminalError } from '../../../core/errors/errors.ts';
import { nextGeneration } from '../../../core/launch/plan-launch.ts';
import { observerFailed } from '../../../functions/clean-up/clean-up.ts';
import { planOf } from '../launch-fixtures.ts';
import { Data, failing, runLaunch, thrown } from './run-launch.ts';
import { runOwnLaunch } from './run-own-launch.ts';
import { steps } from './steps.ts';

const exposed = planOf('github-1-2-1');
const notExposed = planOf('github-1-2-1', { expose: 'none' });

const launchSteps = Object.keys(steps).filter((name) => name !== 'CleanUp' && name !== 'Relaunch');
const pendingSteps = launchSteps.filter((name) => steps[name]?.pends);
const relaunchingSteps = launchSteps.filter((name) => steps[name]?.relaunches);
const wholeWay = ['IsExposed', 'CreateService', 'PollNodePort', 'CreatePod', 'PollHostIP', 'PublishToken'];

describe.each([
  ['aws-local-stepfunctions', runLaunch],
  ["davit's own process", runOwnLaunch],
])('the state machine on %s', (_engine, runLaunchThere) => {
  describe('a launch that works', () => {
    test('enters 6 states in order', async () => {
      const run = await runLaunchThere(exposed);

      expect(run.entered).toEqual(wholeWay);
      expect(run.error).toBeUndefined();
    });

    test('enters 4 states when it is not exposed', async () => {
      const run = await runLaunchThere(notExposed);

      expect(run.entered).toEqual(['IsExposed', 'CreatePod', 'PollHostIP', 'PublishToken']);
      expect(run.error).toBeUndefined();
    });

    test("ends with the plan and each step's output, and nothing more", async () => {
      const { output } = await runLaunchThere(exposed);

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
        placement: {
          host: '10.0.0.7',
          resourceVersion: '9',
          placedAtEpochMs: 1_767_225_600_400,
          seen: {
            host: '10.0.0.7',
            resourceVersion: '9',
            placedAtEpochMs: 1_767_225_600_400,
            scheduledAtEpochMs: 1_767_225_600_000,
          },
          lookPauseSeconds: 27,
        },
        token: { publishedAtEpochMs: 1_767_225_600_500 },
      });
    });

    test('gives each step the output of the earlier steps', async () => {
      const { inputs } = await runLaunchThere(exposed);

      expect(Object.keys(inputs['PublishToken']?.[0] ?? {})).toEqual([
        ...Object.keys(exposed),
        'service',
        'nodePort',
        'pod',
        'placement',
      ]);
      expect(inputs['CreateService']).toEqual([exposed]);
    });
  });

  test('any expose but none takes the whole path: no value falls back to a launch without a Service', async () => {
    const run = await runLaunchThere({ ...exposed, expose: 'nodeport' });

    expect(run.entered.slice(0, 2)).toEqual(['IsExposed', 'CreateService']);
  });

  describe.each(pendingSteps)('%s with a pending error', (name) => {
    test('is retried until it succeeds, in the same state', async () => {
      const run = await runLaunchThere(exposed, { [name]: failing(25, thrown.pending) });

      expect(run.error).toBeUndefined();
      expect(run.entered).toHaveLength(6);
      expect(run.inputs[name]).toHaveLength(26);
    });
  });

  describe.each(launchSteps)('%s', (name) => {
    test('is retried after a transient error, with the same data', async () => {
      const run = await runLaunchThere(exposed, { [name]: failing(100, thrown.transient) });

      expect(run.error).toBeUndefined();
      expect(run.entered).toHaveLength(6);
      expect(run.inputs[name]).toHaveLength(101);
      expect(new Set(run.inputs[name]?.map((input) => JSON.stringify(input))).size).toBe(1);
    });

    test('is retried when Lambda could not run it', async () => {
      const run = await runLaunchThere(exposed, { [name]: failing(100, thrown.byLambda) });

      expect(run.error).toBeUndefined();
      expect(run.inputs[name]).toHaveLength(101);
    });

    test("is cleaned up after a terminal error, and davit's code becomes the execution's error", async () => {
      const run = await runLaunchThere(exposed, { [name]: failing(1, thrown.terminal) });

      expect(run.inputs[name]).toHaveLength(1);
      expect(run.entered.slice(-4)).toEqual([name, 'CleanUp', 'IsConnected', 'LaunchFailed']);
      expect(run.inputs['CleanUp']).toMatchObject([
        { launchId: 'github-1-2-1', failure: { Error: 'TerminalError', Cause: thrown.terminal.message } },
      ]);
      expect(run.error).toEqual({ name: 'ImagePullFailed', message: 'ImagePullFailed: manifest unknown' });
    });

    test('is cleaned up after a defect, without a retry', async () => {
      const run = await runLaunchThere(exposed, { [name]: failing(1, new TypeError('x is undefined')) });

      expect(run.inputs[name]).toHaveLength(1);
      expect(run.inputs['CleanUp']).toMatchObject([{ failure: { Error: 'TypeError', Cause: 'x is undefined' } }]);
    });

    test('is cleaned up when its attempts are used up', async () => {
      const run = await runLaunchThere(exposed, { [name]: failing(Number.POSITIVE_INFINITY, thrown.death) });

      expect(run.inputs[name]).toHaveLength(7);
      expect(run.entered.slice(-4)).toEqual([name, 'CleanUp', 'IsConnected', 'LaunchFailed']);
    });
  });

  describe.each(launchSteps)('a failure of %s after the agent has connected', (name) => {
    test.each([
      ['terminal', thrown.terminal],
      ['a death', thrown.death],
      ['a defect', new TypeError('x is undefined')],
    ])('ends the execution as succeeded when CleanUp has left the launch alone: %s', async (_kind, error) => {
      const run = await runLaunchThere(exposed, {
        [name]: failing(Number.POSITIVE_INFINITY, error),
        CleanUp: () => ({ code: observerFailed, message: `${observerFailed}: the agent has connected and goes on` }),
      });

      expect(run.entered.slice(-4)).toEqual([name, 'CleanUp', 'IsConnected', 'AgentConnected']);
      expect(run.error).toBeUndefined();
    });
  });

  test('a failure of an unexposed launch is cleaned up, too', async () => {
    const run = await runLaunchThere(notExposed, { PollHostIP: failing(1, thrown.terminal) });

    expect(run.entered).toEqual(['IsExposed', 'CreatePod', 'PollHostIP', 'CleanUp', 'IsConnected', 'LaunchFailed']);
  });

  describe.each(relaunchingSteps)('%s with a RelaunchError', (name) => {
    test('leads through Relaunch to the whole path once more', async () => {
      const run = await runLaunchThere(exposed, { [name]: failing(1, thrown.relaunch) });

      const untilThere = wholeWay.slice(0, wholeWay.indexOf(name) + 1);
      expect(run.error).toBeUndefined();
      expect(run.entered).toEqual([...untilThere, 'Relaunch', ...wholeWay]);
    });

    test('passes the plan and the failure to Relaunch', async () => {
      const { inputs } = await runLaunchThere(exposed, { [name]: failing(1, thrown.relaunch) });

      expect(inputs['Relaunch']).toMatchObject([
        { ...exposed, failure: { Error: 'RelaunchError', Cause: thrown.relaunch.message } },
      ]);
    });

    test("keeps the earlier generation's data out of the next", async () => {
      const { inputs, output } = await runLaunchThere(exposed, { [name]: failing(1, thrown.relaunch) });

      const next = {
        ...exposed,
        agentName: 'davit-github-1-2-1-r2',
        generation: 2,
        startedAtEpochMs: 1_767_225_630_000,
      };
      expect(inputs['CreateService']).toEqual([exposed, next]);
      expect(output).toMatchObject({ ...next, token: { publishedAtEpochMs: 1_767_225_600_500 } });
      expect(output).not.toHaveProperty('failure');
    });

    test('may recur: only Relaunch limits how often', async () => {
      const run = await runLaunchThere(exposed, { [name]: failing(8, thrown.relaunch) });

      expect(run.error).toBeUndefined();
      expect(run.inputs['Relaunch']).toHaveLength(8);
      expect(run.entered.slice(-6)).toEqual(wholeWay);
    });

    test('is cleaned up when Relaunch refuses, with the error of Relaunch', async () => {
      const refusal = new TerminalError('PodEvicted', 'not launched again: it was launched 3 times');
      const run = await runLaunchThere(exposed, {
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
    test('leads an unexposed launch to the shorter path', async () => {
      const next = nextGeneration(notExposed, 1_767_225_630_000);
      const run = await runLaunchThere(notExposed, {
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
      ]);
    });

    test.each([
      { what: 'fails on the way', error: thrown.transient, times: 30 },
      { what: 'Lambda could not run', error: thrown.byLambda, times: 6 },
    ])('that $what is retried, with the same data', async ({ error, times }) => {
      const run = await runLaunchThere(exposed, {
        PublishToken: failing(1, thrown.relaunch),
        Relaunch: failing(times, error),
      });

      expect(run.error).toBeUndefined();
      expect(run.inputs['Relaunch']).toHaveLength(times + 1);
      expect(new Set(run.inputs['Relaunch']?.map((input) => JSON.stringify(input))).size).toBe(1);
    });

    test.each([
      { what: 'whose attempts are used up', error: thrown.transient, attempts: 31 },
      { what: 'that throws a defect', error: new TypeError('x is undefined'), attempts: 1 },
      { what: 'that throws a PendingError, which it never does,', error: thrown.pending, attempts: 1 },
      { what: 'that throws a RelaunchError, which it never does,', error: thrown.relaunch, attempts: 1 },
    ])('$what leads to CleanUp', async ({ error, attempts }) => {
      const run = await runLaunchThere(exposed, {
        PublishToken: failing(1, thrown.relaunch),
        Relaunch: failing(Number.POSITIVE_INFINITY, error),
      });

      expect(run.inputs['Relaunch']).toHaveLength(attempts);
      expect(run.entered.slice(-4)).toEqual(['Relaunch', 'CleanUp', 'IsConnected', 'LaunchFailed']);
    });
  });

  describe('CleanUp', () => {
    const failed = { CreatePod: failing(Number.POSITIVE_INFINITY, thrown.terminal) };

    test('is retried while objects remain', async () => {
      const run = await runLaunchThere(exposed, { ...failed, CleanUp: failing(60, thrown.pending) });

      expect(run.inputs['CleanUp']).toHaveLength(61);
      expect(run.entered.at(-1)).toBe('LaunchFailed');
    });

    test('fails the execution as CleanUpFailed when objects never go', async () => {
      const run = await runLaunchThere(exposed, {
        ...failed,
        CleanUp: failing(Number.POSITIVE_INFINITY, thrown.pending),
      });

      expect(run.inputs['CleanUp']).toHaveLength(61);
      expect(run.entered.at(-1)).toBe('CleanUpFailed');
      expect(run.error).toEqual({ name: 'PendingError', message: thrown.pending.message });
    });

    test('fails the execution as CleanUpFailed after a terminal error', async () => {
      const run = await runLaunchThere(exposed, { ...failed, CleanUp: failing(1, thrown.terminal) });

      expect(run.entered.slice(-3)).toEqual(['CreatePod', 'CleanUp', 'CleanUpFailed']);
      expect(run.error).toEqual({ name: 'TerminalError', message: thrown.terminal.message });
    });
  });
});
