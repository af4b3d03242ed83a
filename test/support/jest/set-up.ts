/**
 * Adds to jest-light-runner what jest's own runner has: timeouts, concurrent tests, tests that fail when their beforeAll
 * does, and no hooks where no test is selected.
 */
import { addEventHandler, getState, type State } from 'jest-circus';
import { readSettings } from './settings.ts';

type Block = State['rootDescribeBlock'];
type Test = Block['tests'][number];
type Hook = Block['hooks'][number];
type Run = () => Promise<void>;

const { testTimeout, maxConcurrency, testNamePattern } = readSettings();
const selected = new RegExp(testNamePattern, 'i');

/** The blocks whose beforeAll failed. */
const broken = new WeakSet<Block>();

/** The concurrent tests of each block, and their results once the first of them has started all. */
const concurrent = new WeakMap<Block, { runs: Map<Test, Run>; results?: Map<Test, Promise<void>> }>();

addEventHandler((event, { currentDescribeBlock: { tests, hooks } }) => {
  const [test, hook] = [tests.at(-1), hooks.at(-1)];
  if (event.name === 'add_test' && test !== undefined) completeTest(test);
  else if (event.name === 'add_hook' && hook !== undefined) completeHook(hook);
});

function completeTest(test: Test): void {
  const run = limited(test.fn, test.timeout ?? testTimeout);
  const runUnlessBroken = async () => {
    if (isBroken(test.parent)) throw new Error('a beforeAll hook failed');
    await run();
  };
  test.fn = test.concurrent ? runConcurrently(test, runUnlessBroken) : runUnlessBroken;
}

function completeHook(hook: Hook): void {
  const { type, parent } = hook;
  const run = limited(hook.fn, hook.timeout ?? testTimeout);
  const runOfAll = async () => {
    if (hasSelected(parent)) await run();
  };
  if (type === 'beforeAll') {
    hook.fn = () =>
      runOfAll().catch((error: unknown) => {
        broken.add(parent);
        throw error;
      });
  } else if (type === 'afterAll') hook.fn = runOfAll;
  else {
    hook.fn = async () => {
      if (!isBroken(parent)) await run();
    };
  }
}

/** Makes a function fail when it has not ended in time. */
function limited(fn: Test['fn'], timeoutMs: number): Run {
  return async () => {
    const { promise: tooLate, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`it has not ended after ${timeoutMs} ms`)), timeoutMs);
    try {
      await Promise.race([Reflect.apply(fn, undefined, []), tooLate]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Makes the first of a block's concurrent tests start all of them. @returns awaits the result of this one */
function runConcurrently(test: Test, run: Run): Run {
  const group = concurrent.get(test.parent) ?? { runs: new Map<Test, Run>() };
  concurrent.set(test.parent, group);
  group.runs.set(test, run);
  return async () => {
    group.results ??= startAll([...group.runs].filter(([one]) => isSelected(one)));
    await group.results.get(test);
  };
}

function startAll(runs: [Test, Run][]): Map<Test, Promise<void>> {
  const waiting = runs.map(([test, run]) => ({ test, run, ...Promise.withResolvers<void>() }));
  const queue = waiting.values();
  const work = async () => {
    for (const { run, resolve, reject } of queue) await run().then(resolve, reject);
  };
  for (let working = 0; working < maxConcurrency; working += 1) void work();
  // A result may be there before anybody awaits it.
  for (const { promise } of waiting) promise.catch(() => undefined);
  return new Map(waiting.map(({ test, promise }) => [test, promise]));
}

function isBroken(block: Block | undefined): boolean {
  return block !== undefined && (broken.has(block) || isBroken(block.parent));
}

function hasSelected({ mode, children }: Block): boolean {
  if (mode === 'skip') return false;
  return children.some((child) => (child.type === 'test' ? isSelected(child) : hasSelected(child)));
}

/** As jest-light-runner decides. */
function isSelected({ mode, name, parent }: Test): boolean {
  if (mode === 'skip' || (getState().hasFocusedTests && mode !== 'only')) return false;
  return selected.test([...namesOf(parent), name].join(' '));
}

function namesOf(block: Block): string[] {
  return block.parent === undefined ? [] : [...namesOf(block.parent), block.name];
}
