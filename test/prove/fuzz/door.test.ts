import * as fc from 'fast-check';
import { runProcess } from '../../../scripts/run-process.ts';
import { type Batch, type BatchResult, defineDoor, type RunInput } from './door.ts';
import { planBatches } from './plan-batches.ts';

const seed = 20_260_601;

function doorOf(run: RunInput<number>) {
  return defineDoor({ inputs: fc.nat(10_000), open: () => run });
}

async function runOn(run: RunInput<number>, batch: Batch = { seed, inputs: 200 }): Promise<BatchResult> {
  await using open = await doorOf(run).open();
  return await open.run(batch);
}

test('answers are counted', async () => {
  const { inputs, answers } = await runOn((input) => (input < 5000 ? 'low' : 'high'));

  expect(inputs).toBe(200);
  expect(Object.keys(answers).toSorted()).toEqual(['high', 'low']);
});

function refuseAbove100(input: number): string {
  if (input > 100) throw new Error(`${input} is too much`);
  return 'taken';
}

test('the smallest failing input is reported, and its path reproduces it', async () => {
  const { failure } = await runOn(refuseAbove100);
  const again = await runOn(refuseAbove100, { seed, inputs: 1, path: failure?.path ?? '' });

  expect(failure).toMatchObject({ seed, input: '101', detail: expect.stringContaining('101 is too much') });
  expect(again.failure).toMatchObject({ input: '101', path: failure?.path });
});

test('an unhandled rejection is blamed on the input that caused it', async () => {
  // In a separate process: the rejection would end jest's worker.
  const script = `
    import * as fc from 'fast-check';
    import { defineDoor } from './test/prove/fuzz/door.ts';
    const open = () => (input) => void (input > 100 && Promise.reject(new Error('left alone')));
    const door = await defineDoor({ inputs: fc.nat(10_000), open }).open();
    const { failure } = await door.run({ seed: ${seed}, inputs: 200 });
    process.stdout.write(failure.input + ' ' + failure.detail);`;

  const { output } = await runProcess(process.execPath, ['--input-type=module', '--eval', script], { cwd: '.' });

  expect(output).toMatch(/^101 Error: not caught: Error: left alone/);
});

test('the same seed plans the same batches, and every input reaches a door', () => {
  const doors = [
    { name: 'test', share: 1 },
    { name: 'other', share: 3 },
  ];

  const batches = planBatches(doors, 20_000, seed);

  const inputsOf = (name: string) =>
    batches.filter(({ door }) => door === name).reduce((sum, { inputs }) => sum + inputs, 0);
  expect({ test: inputsOf('test'), other: inputsOf('other') }).toEqual({ test: 5000, other: 15_000 });
  expect(planBatches(doors, 20_000, seed)).toEqual(batches);
});
