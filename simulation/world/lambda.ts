import { DavitError } from '../../core/errors/errors.ts';
import { type FunctionName, functionSettings } from '../../runtime/function-settings.ts';
import { Problem } from '../../runtime/http/problem.ts';
import type { Core } from './core.ts';
import type { Run } from './davit.ts';
import { Invocation } from './invocation.ts';

/** The outcome of an invocation, as Step Functions sees it. */
export type Outcome<Output> = { output: Output } | { error: string; cause: string; thrown?: unknown };

/** Gives a run the logic and its dependencies, and runs it. */
export type Enter = <Output>(invocation: Invocation, run: Run<Output>) => Promise<Output>;

const asyncRetryDelaysMs = [60_000, 120_000];

/** Lambda: runs functions with a time-out, once, twice, late, or not at all. */
export class SimulatedLambda {
  readonly #core: Core;
  readonly #enter: Enter;

  constructor(core: Core, enter: Enter) {
    this.#core = core;
    this.#enter = enter;
  }

  /** Invokes a function and waits for its outcome, as Step Functions and API Gateway do. */
  invoke<Output>(
    functionName: FunctionName,
    launchId: string,
    run: Run<Output>,
    ended: (outcome: Outcome<Output>) => void,
  ): void {
    const { faults, random, scheduler } = this.#core;
    if (faults.hits('invokeRefused', launchId)) {
      const error = random.pick(['Lambda.TooManyRequestsException', 'Lambda.ServiceException']);
      scheduler.after(random.between(5, 50), () => ended({ error, cause: 'Rate Exceeded.' }));
      return;
    }
    const copies = faults.hits('invokedTwice', launchId) ? 2 : 1;
    for (let copy = 1; copy <= copies; copy += 1) {
      const startsLate = faults.hits('slowStart', launchId);
      const delayMs = startsLate ? random.between(15_000, 50_000) : random.between(1, 40);
      scheduler.after(delayMs, () => this.#start(functionName, launchId, run, copy === 1 ? ended : ignore));
    }
  }

  /** Invokes a function without waiting for it. Lambda repeats it twice if it fails. */
  invokeLater(functionName: FunctionName, launchId: string, run: Run<unknown>): void {
    const { faults, random, scheduler } = this.#core;
    const copies = faults.hits('asyncTwice', launchId) ? 2 : 1;
    for (let copy = 1; copy <= copies; copy += 1) {
      const isLate = faults.hits('asyncLate', launchId);
      const delayMs = isLate ? random.between(5000, 300_000) : random.between(5, 100);
      scheduler.after(delayMs, () => this.#attempt(functionName, launchId, run, asyncRetryDelaysMs));
    }
  }

  #attempt(functionName: FunctionName, launchId: string, run: Run<unknown>, delaysMs: readonly number[]): void {
    this.invoke(functionName, launchId, run, (outcome) => {
      const [delayMs, ...rest] = delaysMs;
      if ('output' in outcome || delayMs === undefined) return;
      this.#core.scheduler.after(delayMs, () => this.#attempt(functionName, launchId, run, rest));
    });
  }

  #start<Output>(
    functionName: FunctionName,
    launchId: string,
    run: Run<Output>,
    ended: (outcome: Outcome<Output>) => void,
  ): void {
    const { faults, history, scheduler } = this.#core;
    const end = (outcome: Outcome<Output>) => {
      timer.cancel();
      const error = 'error' in outcome ? outcome.error : undefined;
      this.#core.shown.check(functionName, launchId, 'output' in outcome ? outcome.output : textOf(outcome));
      if (functionName !== 'connect') history.add({ kind: 'stepEnded', launchId, step: functionName, error });
      if (!faults.hits('invokeAnswerLost', launchId)) ended(outcome);
      else ended({ error: 'Lambda.SdkClientException', cause: 'Unable to execute HTTP request: Read timed out' });
    };
    const invocation = new Invocation(this.#core, functionName, launchId, (why) => {
      scheduler.after(1, () => end({ error: why, cause: `RequestId: ${functionName} Error: ${why}` }));
    });
    const { timeoutSeconds } = functionSettings[functionName];
    const timer = scheduler.after(timeoutSeconds * 1000, () => invocation.die('Sandbox.Timedout'));
    const finish = (outcome: Outcome<Output>) => {
      if (!invocation.alive) return;
      invocation.finish();
      end(outcome);
    };
    this.#enter(invocation, run).then(
      (output) => finish({ output }),
      (error: unknown) => {
        if (!isExpected(error)) history.add({ kind: 'defect', functionName, error: stackOf(error) });
        finish(outcomeOf(error));
      },
    );
  }
}

function ignore(): void {
  // No caller gets the second copy's answer.
}

function isExpected(error: unknown): boolean {
  return error instanceof DavitError || error instanceof Problem;
}

/** The parts of an error that Step Functions' history, the function's log and its metrics show. */
function textOf({ cause, thrown }: { cause: string; thrown?: unknown }): string {
  return thrown === undefined ? cause : `${cause} ${stackOf(thrown)}`;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function outcomeOf(thrown: unknown): Outcome<never> {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { error: name, cause: JSON.stringify({ errorType: name, errorMessage: message }), thrown };
}
