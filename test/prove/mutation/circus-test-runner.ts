/**
 * Stryker's runner for tests that jest-circus declares. Stryker's own runner for jest needs jest's environments, which
 * jest-light-runner does not have. This one loads the test files once, and runs for each mutant the tests that reach it.
 *
 * @see https://stryker-mutator.io/docs/stryker-js/guides/create-a-plugin
 */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { INSTRUMENTER_CONSTANTS, type InstrumenterContext } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type BaseTestResult,
  type CompleteDryRunResult,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type FailedTestResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { addEventHandler, getState, resetState, run, type State, setState } from 'jest-circus';
import { testsVariable } from './judge.ts';

type Block = State['rootDescribeBlock'];
type Test = Block['tests'][number];

const timeoutMs = 60_000;

class CircusTestRunner implements TestRunner {
  /** What the mutated code reads and writes. */
  #context: InstrumenterContext = {};
  /** The declared tests of each loaded file. */
  #files = new Map<string, State>();
  #ids = new Map<Test, string>();
  /** The tests to run; none from the first failure on. */
  #selected = new Set<Test>();
  #results: TestResult[] = [];
  #bails = false;
  /** Errors that no test awaits: they would end the process of `npm test`. */
  #unhandled: unknown[] = [];

  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: false };
  }

  async init(): Promise<void> {
    Object.assign(globalThis, { [INSTRUMENTER_CONSTANTS.NAMESPACE]: this.#context });
    process.on('unhandledRejection', (error) => this.#unhandled.push(error));
    process.on('uncaughtException', (error) => this.#unhandled.push(error));
    await import(new URL('./global-setup.js', import.meta.resolve('jest-light-runner')).href);
    await import(pathToFileURL(resolve('test/prove/mutation/fewer-examples.ts')).href);
    addEventHandler((event) => {
      if (event.name === 'run_describe_start') this.#select(event.describeBlock);
      else if (event.name === 'test_start') this.#start(event.test);
      else if (event.name === 'test_done') this.#end(event.test);
    });
  }

  async dryRun(): Promise<DryRunResult> {
    await this.#load(testFiles());
    const result = await this.#run(this.#ids.keys(), false);
    const { mutantCoverage } = this.#context;
    return { ...result, ...(mutantCoverage !== undefined && { mutantCoverage }) };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, mutantActivation, testFilter, hitLimit, disableBail } = options;
    this.#activate(mutantActivation === 'static' ? activeMutant.id : undefined, undefined);
    await this.#load(testFilter?.map(fileOf) ?? testFiles());
    const wanted = testFilter && new Set(testFilter);
    const tests = [...this.#ids].filter(([, id]) => wanted?.has(id) ?? true).map(([test]) => test);
    this.#activate(activeMutant.id, hitLimit);
    const result = await this.#run(tests, !disableBail);
    return toMutantRunResult(determineHitLimitReached(this.#context.hitCount, hitLimit) ?? result);
  }

  #activate(id: string | undefined, hitLimit: number | undefined): void {
    Object.assign(this.#context, { activeMutant: id, hitLimit, hitCount: hitLimit && 0 });
  }

  async #load(files: readonly string[]): Promise<void> {
    for (const file of files) {
      if (this.#files.has(file)) continue;
      resetState();
      await import(pathToFileURL(resolve(file)).href);
      const state = getState();
      state.testTimeout = timeoutMs;
      this.#files.set(file, state);
      testsIn(state.rootDescribeBlock)
        .filter(({ mode }) => mode !== 'skip')
        // Two tests of a file may have the same name.
        .forEach((test, index) => void this.#ids.set(test, `${file}#${index} ${nameOf(test)}`));
    }
  }

  async #run(tests: Iterable<Test>, bails: boolean): Promise<CompleteDryRunResult> {
    this.#selected = new Set(tests);
    this.#results = [];
    this.#bails = bails;
    this.#unhandled = [];
    for (const state of this.#files.values()) {
      if (!this.#hasSelected(state.rootDescribeBlock)) continue;
      state.unhandledErrors = [];
      setState(state);
      const { unhandledErrors } = await run();
      this.#unhandled.push(...unhandledErrors);
    }
    // An unhandled rejection is reported when the current work has ended.
    await setImmediate();
    const [error] = this.#unhandled;
    if (error !== undefined) this.#results.push(failed({ id: 'unhandled', name: 'unhandled', timeSpentMs: 0 }, error));
    return { status: DryRunStatus.Complete, tests: this.#results };
  }

  #select(block: Block): void {
    block.mode = this.#hasSelected(block) ? undefined : 'skip';
  }

  #start(test: Test): void {
    test.mode = this.#selected.has(test) ? undefined : 'skip';
    test.errors = [];
    Object.assign(this.#context, { currentTestId: this.#ids.get(test) });
  }

  #end(test: Test): void {
    const result = { id: this.#ids.get(test) ?? '', name: nameOf(test), timeSpentMs: test.duration ?? 0 };
    const [error] = test.errors;
    this.#results.push(error === undefined ? { ...result, status: TestStatus.Success } : failed(result, error));
    if (error !== undefined && this.#bails) this.#selected.clear();
    Object.assign(this.#context, { currentTestId: undefined });
  }

  #hasSelected(block: Block): boolean {
    return testsIn(block).some((test) => this.#selected.has(test));
  }
}

/** The judging files. Those of the adapters need services: a mutant of an adapter runs its own tests. */
function testFiles(): string[] {
  const globs = process.env[testsVariable] ?? '';
  const exclude = /\b(adapters|ci)\//.test(globs) ? [] : ['test/unit/{adapters,ci}/**'];
  return globSync(globs.split(','), { exclude });
}

function fileOf(id: string): string {
  return id.slice(0, id.indexOf('#'));
}

function testsIn({ children }: Block): Test[] {
  return children.flatMap((child) => (child.type === 'test' ? [child] : testsIn(child)));
}

function nameOf({ name, parent }: Test): string {
  const names = [name];
  for (let block: Block | undefined = parent; block?.parent !== undefined; block = block.parent)
    names.unshift(block.name);
  return names.join(' ');
}

function failed(result: BaseTestResult, error: unknown): FailedTestResult {
  return { ...result, status: TestStatus.Failed, failureMessage: inspect(error) };
}

/** Read by Stryker. */
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'jest-circus', CircusTestRunner)];
