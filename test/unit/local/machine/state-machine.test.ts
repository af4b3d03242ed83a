import { LaunchPlan } from '../../../../core/launch/launch-state.ts';
import { type Definition, parseDefinition } from '../../../../local/machine/definition.ts';
import { type End, ExecutionsTable } from '../../../../local/machine/executions-table.ts';
import { type ExecutionEvent, StateMachine } from '../../../../local/machine/state-machine.ts';
import { openStore, type Store } from '../../../../local/store/open-store.ts';
import { planOf } from '../../../contract/launch-fixtures.ts';
import { eventually } from '../../../support/eventually.ts';
import { until } from '../../../support/until.ts';

/** Two steps. The first one is tried again at once, three times at most. */
const text = JSON.stringify({
  Comment: 'for tests',
  StartAt: 'First',
  TimeoutSeconds: 3600,
  States: {
    First: { ...taskOf('CreateService'), Retry: [retrier('Pending', 3)], ResultPath: '$.first', Next: 'Second' },
    Second: { ...taskOf('CreatePod'), TimeoutSeconds: 1, Retry: [retrier('States.Timeout', 1)], End: true },
  },
});

function taskOf(name: string) {
  return {
    Type: 'Task',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder, as in the real definition
    Resource: 'arn:${Partition}:states:::lambda:invoke',
    Parameters: { FunctionName: `\${${name}FunctionArn}`, 'Payload.$': '$' },
    TimeoutSeconds: 60,
    Catch: [],
  };
}

function retrier(error: string, MaxAttempts: number) {
  return { ErrorEquals: [error], IntervalSeconds: 1, BackoffRate: 1, MaxAttempts, JitterStrategy: 'FULL' };
}

/** A process that runs a state machine. */
interface Process {
  machine: StateMachine;
  events: ExecutionEvent[];
  unsuccessful: [string, End][];
  /** The functions that were run, in order. */
  runs: string[];
  untilEvent(type: ExecutionEvent['type']): Promise<ExecutionEvent>;
}

type Run = (functionName: string, count: number) => unknown;

function startProcess(store: Store, run: Run, definition: Definition = parseDefinition(text)): Process {
  const listeners = new Set<() => void>();
  const events: ExecutionEvent[] = [];
  const unsuccessful: [string, End][] = [];
  const runs: string[] = [];
  const machine = new StateMachine({
    definition,
    table: new ExecutionsTable(store),
    invoke: async (functionName) => {
      runs.push(functionName);
      return run(functionName, runs.length);
    },
    onUnsuccessful: (launchId, end) => unsuccessful.push([launchId, end]),
    onEvent: (event) => {
      events.push(event);
      for (const listener of listeners) listener();
    },
    nowEpochMs: Date.now,
    random: () => 0,
  });
  const untilEvent = (type: ExecutionEvent['type']) =>
    until({
      subscribe: (changed) => {
        listeners.add(changed);
        return () => listeners.delete(changed);
      },
      look: () => events.find((event) => event.type === type),
      missing: () => `no event is ${type}: ${JSON.stringify(events)}`,
    });
  return { machine, events, unsuccessful, runs, untilEvent };
}

const plan = planOf('job');
const never = () => new Promise(() => undefined);

function failure(name: string): Error {
  return Object.assign(new Error('said'), { name });
}

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => {
  store[Symbol.dispose]();
});

test('the next process goes on in the state in which the last one was, with its data', async () => {
  const before = startProcess(store, (name) => (name === 'create-pod' ? never() : { port: 7 }));
  await before.machine.start(plan);
  await eventually(() => expect(before.runs).toContain('create-pod'));
  before.machine.halt();

  const after = startProcess(store, () => ({}));
  after.machine.resume();
  const ended = await after.untilEvent('ended');

  expect(after.runs).toEqual(['create-pod']);
  expect(ended).toMatchObject({ status: 'SUCCEEDED' });
  expect(await after.machine.status('job')).toMatchObject({ status: 'SUCCEEDED' });
});

test.each([
  { what: 'a day', setBackMs: 86_400_000 },
  { what: 'a year', setBackMs: 31_536_000_000 },
])(
  'an execution goes on at once, and does not time out, if the clock has been set back by $what',
  async ({ setBackMs }) => {
    const before = startProcess(store, never);
    await before.machine.start(plan);
    before.machine.halt();
    store.sql.run`UPDATE execution SET started_at = started_at + ${setBackMs}, due_at = due_at + ${setBackMs}`;

    const after = startProcess(store, () => ({}));
    after.machine.resume();

    expect(await after.untilEvent('ended')).toMatchObject({ status: 'SUCCEEDED' });
  },
);

test('an execution in a state that an earlier version had fails, and the others go on', async () => {
  const before = startProcess(store, never, parseDefinition(text.replaceAll('"First"', '"Former"')));
  await before.machine.start(plan);
  await eventually(() => expect(before.runs).toHaveLength(1));
  before.machine.halt();

  const after = startProcess(store, () => ({}));
  after.machine.resume();
  await after.untilEvent('ended');
  await after.machine.start(planOf('another'));
  await eventually(async () => expect(await after.machine.status('another')).toMatchObject({ status: 'SUCCEEDED' }));

  expect(after.unsuccessful).toMatchObject([
    ['job', { status: 'FAILED', cause: 'the state machine has no state Former' }],
  ]);
});

test('attempts are counted across processes', async () => {
  const before = startProcess(store, (_name, count) => {
    if (count > 2) return never();
    throw failure('Pending');
  });
  await before.machine.start(plan);
  await eventually(() => expect(before.runs.length).toBeGreaterThan(2));
  before.machine.halt();

  const after = startProcess(store, () => {
    throw failure('Pending');
  });
  after.machine.resume();
  await after.untilEvent('ended');

  // Of four attempts in all, the third was interrupted and is made again.
  expect(after.runs).toHaveLength(2);
  expect(after.unsuccessful).toMatchObject([['job', { status: 'FAILED', error: 'Pending' }]]);
});

test('a step that does not answer in its time fails, and its late answer changes nothing', async () => {
  const late = Promise.withResolvers<object>();
  const process = startProcess(store, (name, count) => (name === 'create-pod' && count === 2 ? late.promise : {}));

  await process.machine.start(plan);
  await process.untilEvent('ended');
  late.resolve({ uid: 'late' });
  await late.promise;

  expect(process.runs).toEqual(['create-service', 'create-pod', 'create-pod']);
  expect(process.events.filter(({ type }) => type === 'failed')).toMatchObject([{ error: 'States.Timeout' }]);
  expect(process.events.filter(({ type }) => type === 'ended')).toMatchObject([{ status: 'SUCCEEDED' }]);
});

test('an execution that lasts too long is timed out, and its end is told with the write that ends it', async () => {
  const process = startProcess(store, never, { ...parseDefinition(text), TimeoutSeconds: 0.05 });

  await process.machine.start(plan);
  await process.untilEvent('ended');

  expect(process.unsuccessful).toEqual([['job', { status: 'TIMED_OUT' }]]);
});

test('an execution that davit stops asks for no clean-up', async () => {
  const process = startProcess(store, never);
  await process.machine.start(plan);

  await process.machine.stop('job', 'the job is over');

  expect(process.unsuccessful).toEqual([]);
  expect(process.events.at(-1)).toMatchObject({ type: 'ended', status: 'ABORTED', cause: 'the job is over' });
});

test('a step whose output is too large fails the execution, as on AWS', async () => {
  const process = startProcess(store, () => ({ text: 'x'.repeat(300_000) }));

  await process.machine.start(plan);
  const ended = await process.untilEvent('ended');

  expect(ended).toMatchObject({ status: 'FAILED', error: 'States.DataLimitExceeded' });
});

test('a store that fails for a while loses no execution', async () => {
  const failing = openStore(':memory:');
  let isFull = false;
  const process = startProcess(
    {
      ...failing,
      write: (statements) => {
        if (isFull) throw new Error('database or disk is full');
        return failing.write(statements);
      },
    },
    () => {
      isFull = true;
      setTimeout(() => (isFull = false), 50);
      return {};
    },
  );

  await process.machine.start(LaunchPlan.parse(plan));
  const ended = await process.untilEvent('ended');

  expect(ended).toMatchObject({ status: 'SUCCEEDED' });
  expect(await process.machine.status('job')).toMatchObject({ status: 'SUCCEEDED' });
});

test('a definition with a part of the language that davit does not use is refused', () => {
  const wait = {
    Comment: 'for tests',
    StartAt: 'Wait',
    TimeoutSeconds: 1,
    States: { Wait: { Type: 'Wait', Seconds: 1, End: true } },
  };

  expect(() => parseDefinition(JSON.stringify(wait))).toThrow('Type');
});
