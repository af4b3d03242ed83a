import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import asl from 'amazon-states-language-service';
import { PendingError, TerminalError, TransientError } from '../../functions/domain/errors.ts';
import { agentExpiresAtEpochMs, LaunchState, maxLaunchSeconds } from '../../functions/domain/launch-state.ts';
import { functionSettings, observeMs } from '../../functions/manifest.ts';
import {
  catcherOf,
  caughtBy,
  definition,
  definitionText,
  longestDelaysSeconds,
  nextOf,
  reachableFrom,
  retrierOf,
  successfulPaths,
  taskOf,
  tasks,
} from './read-definition.ts';
import { steps } from './steps.ts';

// CommonJS, and without types.
const validateAsl: (definition: unknown) => { isValid: boolean; errors: unknown[] } = createRequire(import.meta.url)(
  'asl-validator',
);

const pending = new PendingError('NodePortPending', '').name;
const transient = new TransientError('ClusterFault', '').name;
const terminal = new TerminalError('PodFailed', '').name;
const ours = [pending, transient, terminal];

// https://docs.aws.amazon.com/step-functions/latest/dg/sfn-best-practices.html#bp-lambda-serviceexception, and what
// Lambda names an attempt that ran out of time or died.
const lambdasOwn = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
  'Lambda.TooManyRequestsException',
  'Lambda.Unknown',
  'Sandbox.Timedout',
  'Runtime.ExitError',
  'States.Timeout',
];

const allSteps = Object.entries(steps).map(([name, facts]) => ({ name, ...facts, task: taskOf(name) }));
const launchSteps = allSteps.filter(({ name }) => name !== 'CleanUp');
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe('both validators', () => {
  test('of AWS’s editors find nothing', async () => {
    const service = asl.getLanguageService({});
    const document = asl.TextDocument.create('file:///launch.asl.json', 'asl', 1, definitionText);

    expect(await service.doValidation(document, service.parseJSONDocument(document))).toEqual([]);
  });

  test('and asl-validator find nothing', () => {
    expect(validateAsl(JSON.parse(definitionText))).toMatchObject({ isValid: true, errors: [] });
  });
});

describe('the way', () => {
  test('of an exposed launch that works enters 7 states, of another one 5', () => {
    expect(successfulPaths()).toEqual([
      ['IsExposed', 'CreatePod', 'PollHostIP', 'PublishToken', 'AwaitAgent'],
      ['IsExposed', 'CreateService', 'PollNodePort', 'CreatePod', 'PollHostIP', 'PublishToken', 'AwaitAgent'],
    ]);
  });

  test('is without a Service only where the profile says none', () => {
    expect(definition.States['IsExposed']).toMatchObject({
      Choices: [{ Variable: '$.expose', StringEquals: 'none', Next: 'CreatePod' }],
      Default: 'CreateService',
    });
  });

  test('reaches every state', () => {
    expect([...reachableFrom(definition.StartAt)].toSorted()).toEqual(Object.keys(definition.States).toSorted());
  });

  test('out of a step leads to CleanUp, and no failure gets past it', () => {
    const withoutCleanUp = reachableFrom(definition.StartAt, ['CleanUp']);

    for (const { task } of launchSteps) expect(caughtBy(task)).toEqual(['CleanUp']);
    for (const name of withoutCleanUp) expect(definition.States[name]?.Type).not.toBe('Fail');
  });

  test('ends well only where the agent has connected', () => {
    const ends = [...tasks].filter(([, { End }]) => End === true).map(([name]) => name);

    expect(ends).toEqual(['AwaitAgent']);
  });

  test('out of CleanUp leads to LaunchFailed, or to CleanUpFailed if it cannot finish', () => {
    expect(nextOf(taskOf('CleanUp'))).toEqual(['LaunchFailed']);
    expect(caughtBy(taskOf('CleanUp'))).toEqual(['CleanUpFailed']);
  });

  test('of a launch that failed says davit’s code and the whole message', () => {
    expect(definition.States['LaunchFailed']).toMatchObject({
      ErrorPath: '$.ending.code',
      CausePath: '$.ending.message',
    });
  });
});

describe('every ErrorEquals', () => {
  const named = [...tasks].flatMap(([state, { Retry, Catch }]) =>
    [...Retry, ...Catch].flatMap(({ ErrorEquals }) => ErrorEquals.map((error) => ({ state, error }))),
  );

  test.each(named)('of $state names an error that exists: $error', ({ error }) => {
    expect([...ours, ...lambdasOwn, 'States.ALL']).toContain(error);
  });
});

test('every Task is a step that is known, and every step has a Task', () => {
  expect([...tasks.keys()].toSorted()).toEqual(Object.keys(steps).toSorted());
});

describe.each(allSteps)('$name', ({ name, task, functionName, Output, key, pends }) => {
  const caught = name === 'CleanUp' ? 'CleanUpFailed' : 'CleanUp';

  test(pends ? 'is repeated while it is too early' : 'is never too early, and is not repeated for it', () => {
    expect(retrierOf(task, pending)?.ErrorEquals).toEqual(pends ? [pending] : undefined);
  });

  test('is repeated after a transient error, backed off and bounded', () => {
    const retrier = retrierOf(task, transient);

    expect(retrier).toMatchObject({ ErrorEquals: [transient], BackoffRate: 2, MaxDelaySeconds: 30 });
    expect(retrier?.MaxAttempts).toBeLessThan(100);
  });

  test.each(lambdasOwn)('is repeated after %s', (error) => {
    expect(retrierOf(task, error)?.ErrorEquals).toEqual(lambdasOwn);
  });

  // The last four are what a defect is called when it comes out of a Lambda.
  test.each([terminal, 'TypeError', 'ZodError', 'Error', 'Runtime.ImportModuleError'])(
    'is not repeated after %s',
    (error) => {
      expect(retrierOf(task, error)).toBeUndefined();
      expect(catcherOf(task, error)).toBe(caught);
    },
  );

  test.each([...ours, ...lambdasOwn])(`leads to ${caught} by %s, if that lasts`, (error) => {
    expect(catcherOf(task, error)).toBe(caught);
  });

  test('gives Lambda’s own time-out the first word, and leaves the last to the machine’s', () => {
    expect(task.TimeoutSeconds).toBeGreaterThan(functionSettings[functionName].timeoutSeconds);
    expect(task.TimeoutSeconds).toBeLessThan(definition.TimeoutSeconds);
  });

  test('calls the function of its name with all of the data', () => {
    const pascal = functionName.replaceAll(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());

    expect(pascal.toLowerCase()).toBe(name.toLowerCase());
    expect(task.Parameters.FunctionName).toBe(`\${${name}FunctionArn}`);
  });

  test('adds to the data exactly what its function gives, under its own key', () => {
    const selected = Object.keys(Output.shape).map((field) => [`${field}.$`, `$.Payload.${field}`]);

    expect(task.ResultSelector).toEqual(Object.fromEntries(selected));
    expect(task.ResultPath).toBe(`$.${key}`);
  });
});

test('what a step adds is what the launch’s data has under its key', () => {
  const shape: Record<string, unknown> = LaunchState.shape;

  for (const { key, Output } of launchSteps) expect(shape[key]).toBe(Output);
});

test('what a step fails with is where CleanUp looks for it', () => {
  for (const { task } of launchSteps) expect(task.Catch).toMatchObject([{ ResultPath: '$.failure' }]);
});

describe('the machine’s time-out', () => {
  const cleanUpSeconds = ((taskOf('CleanUp').Retry[0]?.MaxAttempts ?? 0) * observeMs) / 1000;

  test('is above all deadlines together and the clean-up after them', () => {
    expect(definition.TimeoutSeconds).toBeGreaterThan(maxLaunchSeconds + cleanUpSeconds);
  });

  test('is not below the time for which the agent’s credential is good, so no agent outlives its execution unseen', () => {
    // The execution starts after the request, so equal is later.
    expect(definition.TimeoutSeconds * 1000).toBeGreaterThanOrEqual(
      agentExpiresAtEpochMs({ requestedAtEpochMs: 1_000_000 }) - 1_000_000,
    );
  });
});

test('every attempt of every step together stays within the 25,000 events of an execution’s history', () => {
  // https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
  // An attempt is TaskScheduled, TaskStarted and how it ended; a state is entered and exited; the execution starts and ends.
  const attempts = sum([...tasks.values()].map(({ Retry }) => 1 + sum(Retry.map(({ MaxAttempts }) => MaxAttempts))));

  expect(3 * attempts + 2 * Object.keys(definition.States).length + 2).toBeLessThan(25_000);
});

describe('a comment’s arithmetic', () => {
  const commented = [...tasks].flatMap(([state, { Retry }]) => Retry.map((retrier) => ({ state, retrier })));
  const having = (words: RegExp) =>
    commented.flatMap(({ state, retrier }) => {
      const found = words.exec(retrier.Comment);
      return found === null ? [] : [{ state, retrier, numbers: found.slice(1) }];
    });

  test('“7,200 s at most, which is 360 attempts” is the longest deadline in attempts that watch', () => {
    const rows = having(/([\d,]+) s at most, which is (\d+) attempts/);

    expect(rows.map(({ state }) => state)).toEqual(['PollNodePort', 'PollHostIP', 'AwaitAgent']);
    for (const { retrier, numbers } of rows) {
      const attempts = maxLaunchSeconds / (observeMs / 1000);
      expect(numbers).toEqual([maxLaunchSeconds.toLocaleString('en'), String(attempts)]);
      expect(retrier.MaxAttempts).toBeGreaterThan(attempts);
    }
  });

  test('“5, 10, 20 and then 30 s at most” are the pauses, and they outlast any deadline', () => {
    const rows = having(/(\d+(?:, \d+)+) and then (\d+) s at most/);

    expect(rows.map(({ state }) => state)).toEqual(['CreateService', 'CreateService']);
    for (const { retrier, numbers } of rows) {
      const pauses = numbers.join(', ').split(', ').map(Number);
      expect(longestDelaysSeconds(retrier, pauses.length)).toEqual(pauses);
      // Full jitter: half of the longest pause on average.
      if (retrier.ErrorEquals.includes(pending)) {
        expect(sum(longestDelaysSeconds(retrier)) / 2).toBeGreaterThan(maxLaunchSeconds);
      }
    }
  });

  test('“30 attempts ride out an outage of about six minutes” is half of their longest pauses', () => {
    const [row, ...others] = having(/so (\d+) attempts ride out an outage of about six minutes/);

    expect(others).toEqual([]);
    expect(row?.numbers).toEqual([String(row?.retrier.MaxAttempts)]);
    const averageMinutes = sum(row ? longestDelaysSeconds(row.retrier) : []) / 2 / 60;
    expect(Math.floor(averageMinutes)).toBe(6);
  });

  test('“1 + 2 + 4 + 8 + 16 + 20 s at most” are all the pauses', () => {
    const [row] = having(/(\d+(?: \+ \d+)+) s at most/);

    expect(row?.numbers[0]?.split(' + ').map(Number)).toEqual(row && longestDelaysSeconds(row.retrier));
  });

  test('“20 s of watching an attempt, so 20 minutes” is how long a clean-up waits', () => {
    const [row] = having(/(\d+) s of watching an attempt, so (\d+) minutes/);
    const [watchSeconds, minutes] = row?.numbers.map(Number) ?? [];

    expect(watchSeconds).toBe(observeMs / 1000);
    expect(minutes).toBe(((row?.retrier.MaxAttempts ?? 0) * observeMs) / 60_000);
  });

  test('“As in CreateService” is as in CreateService', () => {
    const like = having(/^(?:A full quota: as|As) in CreateService\./);

    expect(like).toHaveLength(13);
    for (const { retrier } of like) {
      const original = taskOf('CreateService').Retry.find(
        ({ ErrorEquals }) => ErrorEquals[0] === retrier.ErrorEquals[0],
      );
      expect({ ...retrier, Comment: '' }).toEqual({ ...original, Comment: '' });
    }
  });
});
