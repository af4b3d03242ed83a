import { TransientError } from '../../../../core/errors/errors.ts';
import { Invocations } from '../../../../local/runtime/invocations.ts';
import { publishChanges } from '../../../../local/runtime/publish-changes.ts';
import { openStore, type Store } from '../../../../local/store/open-store.ts';
import { eventually } from '../../../support/eventually.ts';
import { failTest } from '../../../support/fail-test.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => {
  store[Symbol.dispose]();
});

const left = () => store.sql.all`SELECT function FROM invocation`.length;

function startInvocations(invoke: (event: unknown) => Promise<unknown>, dropped: string[] = []) {
  return new Invocations({
    store,
    invoke: (_functionName, event) => invoke(event),
    retryDelaysMs: [1, 1],
    onDropped: (_functionName, reason) => dropped.push(reason),
    nowEpochMs: Date.now,
  });
}

test('an invocation that fails is tried again, and then dropped', async () => {
  let attempts = 0;
  const dropped: string[] = [];
  const invocations = startInvocations(async () => {
    attempts += 1;
    throw new TypeError('no');
  }, dropped);

  invocations.add('clean-up', { launchId: 'job' });
  await eventually(() => expect(left()).toBe(0));

  expect({ attempts, dropped }).toEqual({ attempts: 3, dropped: ['TypeError: no'] });
});

test('the next process runs what the last one has not finished', async () => {
  const before = startInvocations(() => new Promise(() => undefined));
  before.add('clean-up', { launchId: 'job' });
  before.halt();
  const ran: unknown[] = [];

  const after = startInvocations(async (event) => ran.push(event));
  after.resume();
  await eventually(() => expect(left()).toBe(0));

  expect(ran).toEqual([{ launchId: 'job' }]);
});

test('what is due far ahead, since the clock has been set back, runs at once', async () => {
  const aDayAhead = Date.now() + 86_400_000;
  store.sql.run`INSERT INTO invocation (function, event, attempts, due_at) VALUES ('clean-up', '{}', 0, ${aDayAhead})`;
  const ran: unknown[] = [];

  const invocations = startInvocations(async (event) => ran.push(event));
  invocations.resume();
  await eventually(() => expect(left()).toBe(0));

  expect(ran).toEqual([{}]);
});

test('what is asked for by a write that fails does not run', async () => {
  const ran: unknown[] = [];
  const invocations = startInvocations(async (event) => ran.push(event));

  expect(() =>
    store.write(() => {
      invocations.add('clean-up', { launchId: 'never' });
      throw new Error('in the middle');
    }),
  ).toThrow('in the middle');
  invocations.add('clean-up', { launchId: 'job' });
  await eventually(() => expect(ran).not.toEqual([]));

  expect(ran).toEqual([{ launchId: 'job' }]);
});

/** A store that writes nothing while its disk is full. */
function storeOnDisk(disk: { isFull: boolean }): Store {
  const write: Store['write'] = (statements) => {
    if (disk.isFull) throw new TransientError('StoreUnavailable', 'SQLite: database or disk is full');
    return store.write(statements);
  };
  return { ...store, write };
}

test('an invocation whose end cannot be written, because the disk is full, ends when there is room', async () => {
  const disk = { isFull: false };
  let attempts = 0;
  const invocations = new Invocations({
    store: storeOnDisk(disk),
    invoke: async () => {
      attempts += 1;
      disk.isFull = attempts === 1;
    },
    retryDelaysMs: [],
    onDropped: (name, reason) => failTest(`${name}: ${reason}`),
    nowEpochMs: Date.now,
  });

  invocations.add('clean-up', { launchId: 'job' });

  await eventually(() => expect(left()).toBe(0));
  expect(attempts).toBe(2);
});

test('changes that were published while the disk was full are published again when there is room', async () => {
  const disk = { isFull: true };
  const failures: string[] = [];
  let published = 0;
  const changes = publishChanges({
    store: storeOnDisk(disk),
    publish: async () => {
      published += 1;
      return { batchItemFailures: [] };
    },
    onFailed: (reason) => {
      failures.push(reason);
      disk.isFull = false;
    },
  });

  store.write(() => store.publish(undefined, '{"launchId":"job"}'));
  await changes.settled();

  expect(published).toBe(2);
  expect(failures).toEqual(['TransientError: StoreUnavailable: SQLite: database or disk is full']);
  expect(store.sql.all`SELECT sequence FROM change`).toEqual([]);
});

test('changes are published in their order, each until it is taken', async () => {
  const published: unknown[] = [];
  let refusals = 1;
  const changes = publishChanges({
    store,
    publish: async (batch) => {
      const { Records }: { Records: { dynamodb: { SequenceNumber: string; NewImage: unknown } }[] } = Object(batch);
      const taken = refusals > 0 ? Records.slice(0, 1) : Records;
      published.push(...taken.map(({ dynamodb }) => dynamodb.NewImage));
      const refused = Records[taken.length];
      if (refused === undefined) return { batchItemFailures: [] };
      refusals -= 1;
      return { batchItemFailures: [{ itemIdentifier: refused.dynamodb.SequenceNumber }] };
    },
    onFailed: () => undefined,
  });

  store.write(() => {
    for (const number of [1, 2, 3]) store.publish(undefined, JSON.stringify({ number }));
  });
  await changes.settled();

  expect(published).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
  expect(store.sql.all`SELECT * FROM change`).toEqual([]);
  await changes.halt();
});

test('changes that a process has not published are published by the next one', async () => {
  store.write(() => store.publish('{"number":1}', '{"number":2}'));
  const published: unknown[] = [];

  const changes = publishChanges({
    store,
    publish: async (batch) => {
      published.push(batch);
      return { batchItemFailures: [] };
    },
    onFailed: () => undefined,
  });
  await changes.settled();

  expect(published).toMatchObject([{ Records: [{ dynamodb: { OldImage: { number: 1 }, NewImage: { number: 2 } } }] }]);
  await changes.halt();
});
