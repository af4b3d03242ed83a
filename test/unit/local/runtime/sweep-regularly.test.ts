import { EventEmitter, once } from 'node:events';
import type { SweepReport } from '../../../../functions/sweep/sweep-report.ts';
import type { InvocationResult } from '../../../../local/runtime/invocation.ts';
import { type RegularSweepsOptions, sweepRegularly } from '../../../../local/runtime/sweep-regularly.ts';
import { nothingFound } from '../../../support/sweep-reports.ts';

const report = { ...nothingFound, seen: { launches: 1, objects: 2 } };

/** Sweeps every millisecond. The function gives these answers in order, and repeats the last one. */
function makeSweeps(results: InvocationResult[]) {
  const told = new EventEmitter<{ event: [unknown]; swept: [SweepReport]; failed: [string] }>();
  let invoked = 0;
  const options: RegularSweepsOptions = {
    invoke: async (event) => {
      told.emit('event', event);
      invoked += 1;
      return results[Math.min(invoked, results.length) - 1] ?? failure;
    },
    intervalMs: 1,
    takesOver: true,
    onSwept: (swept) => told.emit('swept', swept),
    onFailed: (reason) => told.emit('failed', reason),
  };
  return { options, told, invocations: () => invoked };
}

const success: InvocationResult = { requestId: '1', payload: report };
const failure: InvocationResult = {
  requestId: '2',
  functionError: 'Unhandled',
  payload: { errorType: 'Error', errorMessage: 'out of words', trace: [] },
};

test('where launches are taken over, the first sweep comes before all else, without grace', async () => {
  const { options, told } = makeSweeps([success]);
  const events: unknown[] = [];
  told.on('event', (event) => events.push(event));

  using running = new DisposableStack();
  running.use(await sweepRegularly(options));
  const atStart = [...events];
  await once(told, 'event');

  expect(atStart).toEqual([{ graceSeconds: 0 }]);
  expect(events.slice(1)).toContainEqual({});
});

test('where there is nothing to take over, nobody waits for the first sweep, which has a grace', async () => {
  const { options, told } = makeSweeps([success]);
  const over = Promise.withResolvers<InvocationResult>();
  const first = once(told, 'event');
  const invoke: RegularSweepsOptions['invoke'] = async (event) => {
    await options.invoke(event);
    return over.promise;
  };

  using running = new DisposableStack();
  running.use(await sweepRegularly({ ...options, invoke, takesOver: false }));
  const swept = once(told, 'swept');
  over.resolve(success);

  expect(await first).toEqual([{}]);
  expect(await swept).toEqual([report]);
});

test('reports a failed sweep, and runs the next one', async () => {
  const { options, told } = makeSweeps([failure, success]);
  const failed = once(told, 'failed');

  using running = new DisposableStack();
  running.use(await sweepRegularly(options));
  const [swept] = await once(told, 'swept');

  expect(await failed).toEqual(['Error: out of words']);
  expect(swept).toEqual(report);
});

test('a sweep begins only when the previous one is over', async () => {
  const { options, invocations } = makeSweeps([success]);
  const { promise, resolve } = Promise.withResolvers<InvocationResult>();
  let isFirst = true;
  const invoke: RegularSweepsOptions['invoke'] = async (event) => {
    const result = await options.invoke(event);
    if (isFirst) isFirst = false;
    else return promise;
    return result;
  };

  using running = new DisposableStack();
  running.use(await sweepRegularly({ ...options, invoke }));
  await new Promise((wake) => setTimeout(wake, 50));
  const atOnce = invocations();
  resolve(success);

  expect(atOnce).toBeLessThanOrEqual(2);
});

test('stopping prevents further sweeps, and does not report one that it interrupts', async () => {
  const { options, told, invocations } = makeSweeps([success, failure]);
  const failed: string[] = [];
  told.on('failed', (reason) => failed.push(reason));

  const sweeps = await sweepRegularly(options);
  told.on('event', () => sweeps[Symbol.dispose]());
  await once(told, 'event');
  await new Promise((wake) => setTimeout(wake, 50));

  expect(invocations()).toBe(2);
  expect(failed).toEqual([]);
});
