import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import asl from 'amazon-states-language-service';
import { CreatePodOutput } from '../../functions/create-pod/create-pod.ts';
import { PendingError, RelaunchError, TerminalError, TransientError } from '../../functions/domain/errors.ts';
import {
  agentExpiresAtEpochMs,
  CreatedPod,
  LaunchPlan,
  LaunchState,
  maxLaunchSeconds,
  totalSeconds,
} from '../../functions/domain/launch-state.ts';
import { mostRelaunches } from '../../functions/domain/names.ts';
import { awaitAgentMs, functionSettings, observeMs } from '../../functions/manifest.ts';
import { RelaunchInput } from '../../functions/relaunch/relaunch.ts';
import { planOf } from '../contract/launch-fixtures.ts';
import {
  catcherOf,
  caughtBy,
  definition,
  definitionInAws,
  definitionText,
  longestDelaysSeconds,
  nextOf,
  type Retrier,
  reachableFrom,
  retrierOf,
  successfulPaths,
  type Task,
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
const relaunchable = new RelaunchError('PodEvicted', '').name;
const terminal = new TerminalError('PodFailed', '').name;
const ours = [pending, transient, relaunchable, terminal];

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
const addingSteps = allSteps.flatMap(({ key, ...step }) => (key === undefined ? [] : [{ ...step, key }]));
/** How often a launch can be begun. */
const mostGenerations = 1 + mostRelaunches;
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe('both validators', () => {
  test('of AWS’s editors find nothing', async () => {
    const service = asl.getLanguageService({});
    const document = asl.TextDocument.create('file:///launch.asl.json', 'asl', 1, definitionText);

    expect(await service.doValidation(document, service.parseJSONDocument(document))).toEqual([]);
  });

  test('and asl-validator find nothing', () => {
    expect(validateAsl(JSON.parse(definitionInAws))).toMatchObject({ isValid: true, errors: [] });
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

    for (const { task, relaunches } of launchSteps) {
      expect(caughtBy(task)).toEqual(relaunches ? ['Relaunch', 'CleanUp'] : ['CleanUp']);
      expect(task.Catch.at(-1)).toMatchObject({ ErrorEquals: ['States.ALL'], Next: 'CleanUp' });
    }
    for (const name of withoutCleanUp) expect(definition.States[name]?.Type).not.toBe('Fail');
  });

  test('ends well only where the agent has connected', () => {
    const ends = [...tasks].filter(([, { End }]) => End === true).map(([name]) => name);

    expect(ends).toEqual(['AwaitAgent']);
  });

  test('of a launch that is begun again leads through Relaunch to its start, with the next plan as all of its data', () => {
    const { Next, OutputPath, ResultPath, ResultSelector } = taskOf('Relaunch');

    expect(Next).toBe(definition.StartAt);
    expect(definition.StartAt).toBe('IsExposed');
    expect({ OutputPath, ResultPath, ResultSelector }).toEqual({ OutputPath: '$.Payload' });
    expect(steps['Relaunch']?.Output).toBe(LaunchPlan);
  });

  test('to Relaunch leads only from a failure', () => {
    const before = Object.entries(definition.States).filter(([, state]) => nextOf(state).includes('Relaunch'));

    expect(before).toEqual([]);
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

describe('a RelaunchError', () => {
  const throwing = 'functions/steps/heed-verdicts.ts';

  test('is thrown only where verdicts on a Pod are heeded', () => {
    const sources = globSync('functions/**/*.ts').filter((path) =>
      /\bnew RelaunchError\b/.test(readFileSync(path, 'utf8')),
    );

    expect(sources).toEqual([throwing]);
  });

  test.each(allSteps)('can come out of $name only if it heeds them: $relaunches', ({ functionName, relaunches }) => {
    const handler = `functions/${functionName}/handler.ts`;

    expect(modulesOf(handler).has(throwing)).toBe(relaunches);
  });

  test.each(allSteps)(
    'of $name leads to Relaunch if it can come, by no other error, and is never waited out',
    (step) => {
      const { name, task, relaunches } = step;
      const toRelaunch = task.Catch.filter(({ Next }) => Next === 'Relaunch');

      expect(catcherOf(task, relaunchable)).toBe(relaunches ? 'Relaunch' : caughtOf(name));
      expect(toRelaunch.flatMap(({ ErrorEquals }) => ErrorEquals)).toEqual(relaunches ? ['RelaunchError'] : []);
      expect(retrierOf(task, relaunchable)).toBeUndefined();
    },
  );
});

/** A module and all that it imports for more than its types. */
function modulesOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/^import (?!type )[^;]*? from '(\.[^']+)'/gm);
  for (const [, specifier = ''] of imports) modulesOf(join(dirname(path), specifier), found);
  return found;
}

/** Where a step's failure leads, unless infrastructure took the Pod. */
function caughtOf(name: string): string {
  return name === 'CleanUp' ? 'CleanUpFailed' : 'CleanUp';
}

describe.each(allSteps)('$name', ({ name, task, functionName, pends }) => {
  const caught = caughtOf(name);

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
  test.each([terminal, 'TypeError', '$ZodError', 'Error', 'Runtime.ImportModuleError'])(
    'is not repeated after %s',
    (error) => {
      expect(retrierOf(task, error)).toBeUndefined();
      expect(catcherOf(task, error)).toBe(caught);
    },
  );

  test.each([pending, transient, terminal, ...lambdasOwn])(`leads to ${caught} by %s, if that lasts`, (error) => {
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
});

test.each(addingSteps)(
  '$name adds to the data exactly what its function gives, under $key',
  ({ name, task, Output, key }) => {
    // An older CreatePod gives no id of a credential: no path may ask for it.
    const isNew = (field: string) => name === 'CreatePod' && field in CreatedPod.shape;
    const named = Object.keys(Output.shape).filter((field) => !isNew(field));
    const selected = Object.fromEntries(named.map((field) => [`${field}.$`, `$.Payload.${field}`]));

    expect(task.ResultSelector).toEqual(name === 'CreatePod' ? { ...selected, 'made.$': '$.Payload' } : selected);
    expect(task.ResultPath).toBe(`$.${key}`);
    expect(task.OutputPath).toBeUndefined();
  },
);

test('every step but Relaunch adds to the data', () => {
  expect(allSteps.filter(({ key }) => key === undefined).map(({ name }) => name)).toEqual(['Relaunch']);
});

test('what a step adds is what the launch’s data has under its key', () => {
  const shape: Record<string, unknown> = LaunchState.shape;

  const { made, ...named } = LaunchState.shape.pod.shape;

  for (const { name, key, Output } of addingSteps) {
    if (name !== 'CleanUp' && name !== 'CreatePod') expect(shape[key]).toBe(Output);
  }
  expect(CreatePodOutput.shape).toEqual({ ...named, ...made.def.innerType.shape });
});

test('what a step fails with is where Relaunch and CleanUp look for it', () => {
  for (const { task } of launchSteps) {
    expect(new Set(task.Catch.map(({ ResultPath }) => ResultPath))).toEqual(new Set(['$.failure']));
  }
  expect(Object.keys(RelaunchInput.shape)).toEqual([...Object.keys(LaunchPlan.shape), 'failure']);
});

describe('the machine’s time-out', () => {
  const cleanUpSeconds = ((taskOf('CleanUp').Retry[0]?.MaxAttempts ?? 0) * observeMs) / 1000;

  test('is above all deadlines of all generations together and the clean-up after them', () => {
    expect(definition.TimeoutSeconds).toBe(25_200);
    expect(maxLaunchSeconds).toBe(21_600);
    expect(cleanUpSeconds).toBe(1200);
    expect(definition.TimeoutSeconds).toBeGreaterThan(maxLaunchSeconds + cleanUpSeconds);
  });

  test.each(Array.from({ length: mostGenerations }, (_, index) => index + 1))(
    'is not below the time for which the last of %i agents’ credentials is good, so no agent outlives its execution unseen',
    (generations) => {
      // Each generation takes all that it is given. The execution starts after the request, so equal is later.
      const deadlines = deadlinesOf(Math.floor(maxLaunchSeconds / generations));
      const startedAtEpochMs = 1_000_000 + (generations - 1) * totalSeconds(deadlines) * 1000;

      expect(definition.TimeoutSeconds * 1000).toBeGreaterThanOrEqual(
        agentExpiresAtEpochMs({ startedAtEpochMs, deadlines }) - 1_000_000,
      );
    },
  );
});

/** Deadlines of which the last has all the time. */
function deadlinesOf(seconds: number) {
  const { deadlines } = planOf('github-1-2-1');
  return { ...deadlines, connectSeconds: seconds - totalSeconds({ ...deadlines, connectSeconds: 0 }) };
}

test('a launch that takes all its time, and is begun again as often as can be, stays within the 25,000 events of an execution’s history', () => {
  // https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
  // An attempt is TaskScheduled, TaskStarted and how it ended; a state is entered and exited; the execution starts and ends.
  // How often a step is too early is bounded by the deadlines of all generations together, at an attempt for each pause:
  // half of the longest on average, after the first three. A step that watches takes longer.
  const tooEarly = retrierOf(taskOf('CreateService'), pending);
  const pauseSeconds = (tooEarly?.MaxDelaySeconds ?? 0) / 2;
  const waits = maxLaunchSeconds / pauseSeconds + 3 * 2 * mostGenerations;
  const entered = mostGenerations * Object.keys(definition.States).length;
  const attempts = mostGenerations * sum([...tasks.values()].map(boundedAttempts));

  expect(pauseSeconds).toBeLessThan(observeMs / 1000);
  expect(3 * (waits + attempts) + 2 * entered + 2).toBeLessThan(25_000);
});

/** The attempts of one visit that are bounded by their number and not by time; of CleanUp, all. */
function boundedAttempts(task: Task): number {
  const isBounded = (retrier: Retrier) => task === taskOf('CleanUp') || !retrier.ErrorEquals.includes(pending);
  return 1 + sum(task.Retry.filter(isBounded).map(({ MaxAttempts }) => MaxAttempts));
}

/** From one look of AwaitAgent to the next. */
const awaitAgentSeconds = awaitAgentMs / 1000 + (retrierOf(taskOf('AwaitAgent'), pending)?.IntervalSeconds ?? 0);

test('AwaitAgent watches for so long that a machine that does not pause has attempts enough', () => {
  // 0.1.0's; its executions go on with today's functions.
  const attempts = 2000;

  expect((attempts * awaitAgentMs) / 1000).toBeGreaterThan(maxLaunchSeconds);
});

describe('a comment’s arithmetic', () => {
  const commented = [...tasks].flatMap(([state, { Retry }]) => Retry.map((retrier) => ({ state, retrier })));
  const having = (words: RegExp) =>
    commented.flatMap(({ state, retrier }) => {
      const found = words.exec(retrier.Comment);
      return found === null ? [] : [{ state, retrier, numbers: found.slice(1) }];
    });

  test('“21,600 s at most, which is 1,080 attempts” is the longest deadline in attempts that watch, and may pause', () => {
    const rows = having(/([\d,]+) s at most, which is ([\d,]+) attempts/);

    expect(rows.map(({ state }) => state)).toEqual(['PollNodePort', 'PollHostIP', 'AwaitAgent']);
    for (const { state, retrier, numbers } of rows) {
      const attempts = maxLaunchSeconds / (state === 'AwaitAgent' ? awaitAgentSeconds : observeMs / 1000);
      expect(numbers).toEqual([maxLaunchSeconds.toLocaleString('en'), attempts.toLocaleString('en')]);
      expect(retrier.MaxAttempts).toBeGreaterThan(attempts);
    }
  });

  test('“11 s of watching: the next look is 30 s after the last one” is the function’s time, and the pause', () => {
    const [row] = having(/(\d+) s of watching: the next look is (\d+) s after/);

    expect(row?.numbers.map(Number)).toEqual([awaitAgentMs / 1000, awaitAgentSeconds]);
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

    expect(like).toHaveLength(15);
    for (const { retrier } of like) {
      const original = taskOf('CreateService').Retry.find(
        ({ ErrorEquals }) => ErrorEquals[0] === retrier.ErrorEquals[0],
      );
      expect({ ...retrier, Comment: '' }).toEqual({ ...original, Comment: '' });
    }
  });
});
