import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  ClusterAwayError,
  PendingError,
  RelaunchError,
  TerminalError,
  TransientError,
} from '../../../core/errors/errors.ts';
import { CreatedPod, LaunchState, PodTimes, Stamps } from '../../../core/launch/execution-state.ts';
import {
  agentExpiresAtEpochMs,
  LaunchPlan,
  maxLaunchSeconds,
  totalSeconds,
} from '../../../core/launch/launch-state.ts';
import { mostRelaunches } from '../../../core/launch/names.ts';
import { CreatePodOutput } from '../../../functions/create-pod/create-pod.ts';
import { PollHostIPOutput } from '../../../functions/poll-host-ip/poll-host-ip.ts';
import { RelaunchInput } from '../../../functions/relaunch/relaunch.ts';
import { connectPace, longestLookMs, shortLookMs } from '../../../logic/steps/look.ts';
import { functionSettings, observeMs } from '../../../runtime/function-settings.ts';
import { seededRandom } from '../../../sandbox/seeded-random.ts';
import {
  catcherOf,
  caughtBy,
  definition,
  longestDelaysSeconds,
  nextOf,
  type Retrier,
  reachableFrom,
  retrierOf,
  taskOf,
  tasks,
} from '../../../scripts/statemachine/read-definition.ts';
import { waits as pausingStates, saidPauseSeconds } from '../../../scripts/statemachine/waits.ts';
import { planOf } from '../launch-fixtures.ts';
import { steps } from './steps.ts';

const pending = new PendingError('NodePortPending', '').name;
const transient = new TransientError('ClusterFault', '').name;
const away = new ClusterAwayError('ClusterUnreachable', '').name;
const relaunchable = new RelaunchError('PodEvicted', '').name;
const terminal = new TerminalError('PodFailed', '').name;
const ours = [pending, transient, away, relaunchable, terminal];

// https://docs.aws.amazon.com/step-functions/latest/dg/sfn-best-practices.html#bp-lambda-serviceexception
const stepFunctionsOwn = [
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.ClientExecutionTimeoutException',
];

/**
 * Transient errors of Lambda's Invoke: throttling, missing capacity, a function that is not ready, an internal error.
 */
const passing = [
  'TooManyRequestsException',
  'ServiceException',
  'ResourceNotReadyException',
  'ResourceConflictException',
  'CodeArtifactUserPendingException',
  'ENINotReadyException',
  'ENILimitReachedException',
  'SubnetIPAddressLimitReachedException',
  'EC2ThrottledException',
  'EC2UnexpectedException',
].map((name) => `Lambda.${name}`);

/** The other errors of Invoke: invalid requests or functions, and features that davit's functions do not use. */
const lasting =
  /^(?:Invalid|KMS|EFS|S3Files|SnapStart|EC2AccessDenied|CodeArtifactUser(?:Deleted|Failed)|DurableExecution|ModeNotSupported|NoPublishedVersion|RecursiveInvocation|RequestTooLarge|ResourceNotFound|SerializedRequest|ServiceQuota|UnsupportedMediaType)/;

const unavailable = [...passing, ...stepFunctionsOwn];

/** The errors that Lambda and Step Functions report for an attempt that ran out of time or died. */
const died = ['Lambda.Unknown', 'Sandbox.Timedout', 'Runtime.ExitError', 'Runtime.OutOfMemory', 'States.Timeout'];
const lambdasOwn = [...unavailable, ...died];

const allSteps = Object.entries(steps).map(([name, facts]) => ({ name, ...facts, task: taskOf(name) }));
const launchSteps = allSteps.filter(({ name }) => name !== 'CleanUp');
const addingSteps = allSteps.flatMap(({ key, ...step }) => (key === undefined ? [] : [{ ...step, key }]));
/**
 * Outputs that version 0.1.0 did not have. Such an output is copied whole, under its own key, so that fields may be
 * missing.
 */
const takenWhole: Record<string, { as: string; shape: object }> = {
  CreatePod: { as: 'made', shape: CreatedPod.shape },
  PollHostIP: { as: 'seen', shape: PodTimes.shape },
};
/** The maximal number of a launch's generations. */
const mostGenerations = 1 + mostRelaunches;
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe('the path through the states', () => {
  test('reaches every state', () => {
    expect([...reachableFrom(definition.StartAt)].toSorted()).toEqual(Object.keys(definition.States).toSorted());
  });

  test('leads from a failed step to CleanUp, which no failure bypasses', () => {
    const withoutCleanUp = reachableFrom(definition.StartAt, ['CleanUp']);

    for (const { task, relaunches } of launchSteps) {
      expect(caughtBy(task)).toEqual(relaunches ? ['Relaunch', 'CleanUp'] : ['CleanUp']);
      expect(task.Catch.at(-1)).toMatchObject({ ErrorEquals: ['States.ALL'], Next: 'CleanUp' });
    }
    for (const name of withoutCleanUp) expect(definition.States[name]?.Type).not.toBe('Fail');
  });

  test('succeeds only when the agent has connected', () => {
    const ends = [...tasks].filter(([, { End }]) => End === true).map(([name]) => name);
    const successes = Object.entries(definition.States).filter(([, { Type }]) => Type === 'Succeed');

    expect(ends).toEqual(['PublishToken']);
    expect(successes.map(([name]) => name)).toEqual(['AgentConnected']);
    expect(Object.entries(definition.States).filter(([, state]) => nextOf(state).includes('AgentConnected'))).toEqual([
      ['IsConnected', definition.States['IsConnected']],
    ]);
  });

  test('leads through Relaunch to the start, with the next plan as its only data', () => {
    const { Next, OutputPath, ResultPath, ResultSelector } = taskOf('Relaunch');

    expect(Next).toBe(definition.StartAt);
    expect(definition.StartAt).toBe('IsExposed');
    expect({ OutputPath, ResultPath, ResultSelector }).toEqual({ OutputPath: '$.Payload' });
    expect(steps['Relaunch']?.Output).toBe(LaunchPlan);
  });

  test('leads to Relaunch only from a failure', () => {
    const before = Object.entries(definition.States).filter(([, state]) => nextOf(state).includes('Relaunch'));

    expect(before).toEqual([]);
  });
});

describe('an ErrorEquals', () => {
  const named = [...tasks].flatMap(([state, { Retry, Catch }]) =>
    [...Retry, ...Catch].flatMap(({ ErrorEquals }) => ErrorEquals.map((error) => ({ state, error }))),
  );

  test.each(named)('of $state names an existing error: $error', ({ error }) => {
    expect([...ours, ...lambdasOwn, 'States.ALL']).toContain(error);
  });
});

test('every Task is a known step, and every step has a Task', () => {
  expect([...tasks.keys()].toSorted()).toEqual(Object.keys(steps).toSorted());
});

describe('a RelaunchError', () => {
  const throwing = [
    'functions/poll-node-port/poll-node-port.ts',
    'logic/steps/apply-verdict.ts',
    'logic/steps/create-once.ts',
    'logic/steps/move-elsewhere.ts',
  ];

  test('is thrown in four places only: by a verdict on a Pod, for an object that others deleted, and leaving a cluster', () => {
    const sources = globSync('{functions,logic}/**/*.ts').filter((path) =>
      /\bnew RelaunchError\b/.test(readFileSync(path, 'utf8')),
    );

    expect(sources.toSorted()).toEqual(throwing);
  });

  test.each(allSteps)(
    'can be thrown by $name only if it applies verdicts, needs an object, or leaves clusters: $relaunches',
    ({ functionName, relaunches }) => {
      const handler = `functions/${functionName}/handler.ts`;

      expect(throwing.some((path) => modulesOf(handler).has(path))).toBe(relaunches);
    },
  );

  test.each(allSteps)(
    'of $name leads to Relaunch if it can be thrown, as no other error does, and is never retried',
    (step) => {
      const { name, task, relaunches } = step;
      const toRelaunch = task.Catch.filter(({ Next }) => Next === 'Relaunch');

      expect(catcherOf(task, relaunchable)).toBe(relaunches ? 'Relaunch' : caughtOf(name));
      expect(toRelaunch.flatMap(({ ErrorEquals }) => ErrorEquals)).toEqual(relaunches ? ['RelaunchError'] : []);
      expect(retrierOf(task, relaunchable)).toBeUndefined();
    },
  );
});

/** A module and its run-time imports, transitively. */
function modulesOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const imports = readFileSync(path, 'utf8').matchAll(/^import (?!type )[^;]*? from '(\.[^']+)'/gm);
  for (const [, specifier = ''] of imports) modulesOf(join(dirname(path), specifier), found);
  return found;
}

/** The state after a step's failure, unless infrastructure took the Pod. */
function caughtOf(name: string): string {
  return name === 'CleanUp' ? 'CleanUpFailed' : 'CleanUp';
}

/** Relaunch and CleanUp have no deadline of their own. */
function hasDeadline(name: string): boolean {
  return name !== 'Relaunch' && name !== 'CleanUp';
}

/** The total time of all attempts: full jitter takes half of each longest pause on average. */
function averageSeconds(retrier: Retrier | undefined): number {
  return retrier === undefined ? 0 : sum(longestDelaysSeconds(retrier)) / 2;
}

test('an hour with the cluster away takes at most 150 state transitions', () => {
  const retrier = retrierOf(taskOf('PollHostIP'), away);
  const longest = retrier === undefined ? [] : longestDelaysSeconds(retrier);
  const counts = Array.from({ length: 1000 }, (_, seed) => {
    const random = seededRandom(seed);
    let passedSeconds = 0;
    return longest.findIndex((seconds) => (passedSeconds += random() * seconds) > 3600);
  });

  expect(Math.max(...counts)).toBeLessThanOrEqual(150);
  expect(sum(counts) / counts.length).toBeGreaterThan(110);
});

test("every error of Lambda's Invoke is classified as transient or lasting", () => {
  const command = 'node_modules/@aws-sdk/client-lambda/dist-types/commands/InvokeCommand.d.ts';
  const thrown = [...readFileSync(command, 'utf8').matchAll(/@throws \{@link (\w+)\}/g)].map(([, error = '']) => error);
  const errors = thrown.filter((error) => error !== 'LambdaServiceException');

  expect(errors.length).toBeGreaterThan(30);
  expect(
    errors
      .filter((error) => !lasting.test(error))
      .map((error) => `Lambda.${error}`)
      .toSorted(),
  ).toEqual(passing.toSorted());
});

describe.each(allSteps)('$name', ({ name, task, functionName, pends }) => {
  const caught = caughtOf(name);

  test(pends ? 'is retried while it is too early' : 'never is too early, and has no retry for it', () => {
    expect(retrierOf(task, pending)?.ErrorEquals).toEqual(pends ? [pending] : undefined);
  });

  test('is retried after a transient error with backoff, until its deadline if it has one', () => {
    const retrier = retrierOf(task, transient);

    expect(retrier).toMatchObject({ ErrorEquals: [transient], BackoffRate: 2, MaxDelaySeconds: 30 });
    if (hasDeadline(name)) expect(averageSeconds(retrier)).toBeGreaterThan(maxLaunchSeconds);
    else expect(retrier?.MaxAttempts).toBe(30);
  });

  test('waits for its cluster, if it must, with at most a minute between two looks, until its deadline', () => {
    const retrier = retrierOf(task, away);

    if (!hasDeadline(name)) return expect(retrier).toBeUndefined();
    expect(retrier).toMatchObject({ ErrorEquals: [away], MaxDelaySeconds: 60, JitterStrategy: 'FULL' });
    expect(averageSeconds(retrier)).toBeGreaterThan(maxLaunchSeconds);
    return undefined;
  });

  test.each(unavailable)('is retried after %s for longer than any deadline', (error) => {
    const retrier = retrierOf(task, error);

    expect(retrier?.ErrorEquals.toSorted()).toEqual(unavailable.toSorted());
    expect(averageSeconds(retrier)).toBeGreaterThan(maxLaunchSeconds);
  });

  test.each(died)('is retried after %s at most six times, because a dead function checks no deadline', (error) => {
    expect(retrierOf(task, error)).toMatchObject({ ErrorEquals: died, MaxAttempts: 6 });
  });

  // The last four are the names of a defect when a Lambda reports it.
  test.each([terminal, 'TypeError', '$ZodError', 'Error', 'Runtime.ImportModuleError'])(
    'is not retried after %s',
    (error) => {
      expect(retrierOf(task, error)).toBeUndefined();
      expect(catcherOf(task, error)).toBe(caught);
    },
  );

  test.each([pending, transient, terminal, ...lambdasOwn])(`leads to ${caught} by %s, if it lasts`, (error) => {
    expect(catcherOf(task, error)).toBe(caught);
  });

  test("ends by Lambda's own time-out first, and by the state machine's last", () => {
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
  "$name adds exactly its function's output to the data, under $key",
  ({ name, task, Output, key }) => {
    // An older function's output may lack fields: no path may read a field that version 0.1.0 did not have.
    const whole = takenWhole[name];
    const named = Object.keys(Output.shape).filter((field) => whole === undefined || !(field in whole.shape));
    const next = Object.entries(pausingStates).find(([, { before }]) => before === name)?.[0];
    const pause = next === undefined ? {} : { lookPauseSeconds: taskPauseSeconds(next) };
    const selected = { ...Object.fromEntries(named.map((field) => [`${field}.$`, `$.Payload.${field}`])), ...pause };

    expect(task.ResultSelector).toEqual(
      whole === undefined ? selected : { ...selected, [`${whole.as}.$`]: '$.Payload' },
    );
    expect(task.ResultPath).toBe(`$.${key}`);
    expect(task.OutputPath).toBeUndefined();
  },
);

/** The longest pause between two attempts that are too early. */
function taskPauseSeconds(name: string): number | undefined {
  const { MaxDelaySeconds, IntervalSeconds } = retrierOf(taskOf(name), pending) ?? {};
  return MaxDelaySeconds ?? IntervalSeconds;
}

test('every step but Relaunch adds to the data', () => {
  expect(allSteps.filter(({ key }) => key === undefined).map(({ name }) => name)).toEqual(['Relaunch']);
});

test("every step's output has the shape of its key in the launch's data", () => {
  const shape: Record<string, unknown> = LaunchState.shape;

  const { made, ...ofPod } = LaunchState.shape.pod.shape;
  const { seen, ...ofPlacement } = LaunchState.shape.placement.shape;

  for (const { name, key, Output } of addingSteps) {
    if (name !== 'CleanUp' && takenWhole[name] === undefined) expect(shape[key]).toBe(Output);
  }
  expect(CreatePodOutput.shape).toEqual({ ...ofPod, ...made.def.innerType.shape });
  expect(PollHostIPOutput.shape).toEqual({ ...ofPlacement, ...seen.def.innerType.shape });
});

test("every step's failure is where Relaunch and CleanUp look for it", () => {
  for (const { task } of launchSteps) {
    expect(new Set(task.Catch.map(({ ResultPath }) => ResultPath))).toEqual(new Set(['$.failure']));
  }
  const stamped = Object.keys(Stamps.shape).filter((key) => key !== 'startedAtEpochMs');
  expect(Object.keys(RelaunchInput.shape)).toEqual([...Object.keys(LaunchPlan.shape), ...stamped, 'failure']);
});

describe("the state machine's time-out", () => {
  const cleanUpSeconds = ((taskOf('CleanUp').Retry[0]?.MaxAttempts ?? 0) * observeMs) / 1000;

  test('exceeds all deadlines of all generations and the clean-up together', () => {
    expect(definition.TimeoutSeconds).toBe(25_200);
    expect(maxLaunchSeconds).toBe(21_600);
    expect(cleanUpSeconds).toBe(1200);
    expect(definition.TimeoutSeconds).toBeGreaterThan(maxLaunchSeconds + cleanUpSeconds);
  });

  test.each(Array.from({ length: mostGenerations }, (_, index) => index + 1))(
    "is not shorter than the lifetime of the last of %i agents' credentials, so every agent is observed",
    (generations) => {
      // Each generation takes its maximal time. The execution starts after the request, so equal times suffice.
      const deadlines = deadlinesOf(Math.floor(maxLaunchSeconds / generations));
      const startedAtEpochMs = 1_000_000 + (generations - 1) * totalSeconds(deadlines) * 1000;

      expect(definition.TimeoutSeconds * 1000).toBeGreaterThanOrEqual(
        agentExpiresAtEpochMs({ startedAtEpochMs, deadlines }) - 1_000_000,
      );
    },
  );
});

/** Deadlines that give all the time to the last step. */
function deadlinesOf(seconds: number) {
  const { deadlines } = planOf('github-1-2-1');
  return { ...deadlines, connectSeconds: seconds - totalSeconds({ ...deadlines, connectSeconds: 0 }) };
}

test("the longest possible launch with the most relaunches stays within the 25,000 events of an execution's history", () => {
  // https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html
  // An attempt is TaskScheduled, TaskStarted and its end. A state is entered and exited. The execution starts and ends.
  // The machine's time-out limits attempts that back off: one for each longest pause, or half of it on average.
  // Up to five more attempts precede the longest pause, in each state of each generation.
  const retriers = [...tasks.values()].flatMap(({ Retry }) => Retry);
  const backingOff = retriers.filter(({ BackoffRate, MaxAttempts }) => BackoffRate > 1 && MaxAttempts > 6);
  const pauseSeconds = Math.min(
    ...backingOff.map(
      ({ MaxDelaySeconds = 0, JitterStrategy }) => MaxDelaySeconds / (JitterStrategy === 'FULL' ? 2 : 1),
    ),
  );
  const waits = definition.TimeoutSeconds / pauseSeconds + 5 * backingOff.length * mostGenerations;
  const few = sum(retriers.filter(({ MaxAttempts }) => MaxAttempts <= 60).map(({ MaxAttempts }) => MaxAttempts));
  const entered = mostGenerations * Object.keys(definition.States).length;

  expect(pauseSeconds).toBe(10);
  expect(3 * (waits + mostGenerations * (few + tasks.size)) + 2 * entered + 2).toBeLessThan(25_000);
});

test('a function has time for its longest look and for two calls of 5 s', () => {
  for (const name of ['poll-node-port', 'poll-host-ip', 'publish-token'] as const) {
    expect(functionSettings[name].timeoutSeconds).toBeGreaterThan(longestLookMs / 1000 + 2 * 5);
  }
});

describe("a comment's arithmetic", () => {
  const commented = [...tasks].flatMap(([state, { Retry }]) => Retry.map((retrier) => ({ state, retrier })));
  const having = (words: RegExp) =>
    commented.flatMap(({ state, retrier }) => {
      const found = words.exec(retrier.Comment);
      return found === null ? [] : [{ state, retrier, numbers: found.slice(1) }];
    });

  test('"21,600 s at most, which is 1,080 attempts" is the longest deadline in short looks and pauses', () => {
    const rows = having(/([\d,]+) s at most, which is ([\d,]+) attempts/);

    expect(rows.map(({ state }) => state)).toEqual(['PollNodePort', 'PollHostIP', 'PublishToken']);
    for (const { state, retrier, numbers } of rows) {
      const attempts = Math.ceil(maxLaunchSeconds / (shortLookMs / 1000 + (taskPauseSeconds(state) ?? 0)));
      expect(numbers).toEqual([maxLaunchSeconds.toLocaleString('en'), attempts.toLocaleString('en')]);
      expect(retrier.MaxAttempts).toBeGreaterThan(attempts);
    }
  });

  test('"a pause of 27 s between two looks of 3 s" is the pace of PublishToken', () => {
    const [row] = having(/a pause of (\d+) s between two looks of (\d+) s/);

    expect(row?.numbers.map(Number)).toEqual([27, connectPace.longLookMs / 1000]);
    expect(saidPauseSeconds('PublishToken')).toBe(27);
  });

  test('"1, 2, 4, 8 and then 11 s of pause" are the pauses of the states that wait for a port or an address', () => {
    const rows = having(/(\d+(?:, \d+)+) and then (\d+) s of pause/);

    expect(rows.map(({ state }) => state)).toEqual(['PollNodePort', 'PollHostIP']);
    for (const { retrier, numbers } of rows) {
      const pauses = numbers.join(', ').split(', ').map(Number);
      expect(longestDelaysSeconds(retrier, pauses.length)).toEqual(pauses);
    }
  });

  test('"5, 10, 20 and then 30 s at most" are the pauses, and they outlast any deadline', () => {
    const rows = having(/(\d+(?:, \d+)+) and then (\d+) s at most/);

    expect(rows.map(({ state }) => state)).toEqual([
      'CreateService',
      'CreateService',
      'CreateService',
      'CreateService',
      'Relaunch',
      'CleanUp',
    ]);
    for (const { retrier, numbers } of rows) {
      const pauses = numbers.join(', ').split(', ').map(Number);
      expect(longestDelaysSeconds(retrier, pauses.length)).toEqual(pauses);
      // Full jitter: half of the longest pause on average.
      if (retrier.ErrorEquals.includes(pending)) {
        expect(sum(longestDelaysSeconds(retrier)) / 2).toBeGreaterThan(maxLaunchSeconds);
      }
    }
  });

  test('"30 attempts ride out an outage of about six minutes" is half of their longest pauses', () => {
    const rows = having(/so (\d+) attempts ride out an outage of about six minutes/);

    expect(rows.map(({ state }) => state)).toEqual(['Relaunch', 'CleanUp']);
    for (const { retrier, numbers } of rows) {
      expect(numbers).toEqual([String(retrier.MaxAttempts)]);
      expect(Math.floor(averageSeconds(retrier) / 60)).toBe(6);
    }
  });

  test('"2,000 attempts last 29,940 s on average" is half of their longest pauses', () => {
    const rows = having(/([\d,]+) attempts last ([\d,]+) s on average, longer than the longest deadline of ([\d,]+) s/);

    expect(rows).toHaveLength(3);
    for (const { retrier, numbers } of rows) {
      const lastingSeconds = Math.floor(averageSeconds(retrier));
      expect(numbers).toEqual(
        [retrier.MaxAttempts, lastingSeconds, maxLaunchSeconds].map((each) => each.toLocaleString('en')),
      );
    }
  });

  test('"1 + 2 + 4 + 8 + 16 + 20 s at most" are all the pauses', () => {
    const [row] = having(/(\d+(?: \+ \d+)+) s at most/);

    expect(row?.numbers[0]?.split(' + ').map(Number)).toEqual(row && longestDelaysSeconds(row.retrier));
  });

  test('"20 s of watching an attempt, so 20 minutes" is how long a clean-up waits', () => {
    const [row] = having(/(\d+) s of watching an attempt, so (\d+) minutes/);
    const [watchSeconds, minutes] = row?.numbers.map(Number) ?? [];

    expect(watchSeconds).toBe(observeMs / 1000);
    expect(minutes).toBe(((row?.retrier.MaxAttempts ?? 0) * observeMs) / 60_000);
  });

  test('"As in CreateService" has the same settings as CreateService', () => {
    const like = having(/^(?:A full quota: as|As) in CreateService\./);

    expect(like).toHaveLength(21);
    for (const { retrier } of like) {
      const original = taskOf('CreateService').Retry.find(
        ({ ErrorEquals }) => ErrorEquals[0] === retrier.ErrorEquals[0],
      );
      expect({ ...retrier, Comment: '' }).toEqual({ ...original, Comment: '' });
    }
  });
});
