import * as fc from 'fast-check';
import { throwUncaught } from './uncaught.ts';

/** A fuzz target: one way into davit, with its inputs. */
export interface Door {
  /** Starts it, with the servers that it needs. */
  open(): Promise<OpenDoor>;
}

/** A door of the list. */
export interface ListedDoor extends Door {
  readonly name: string;
  /** A description of its inputs, for people. */
  readonly description: string;
  /** The share of this door, in thousandths of all inputs. */
  readonly share: number;
}

/** A door that accepts inputs. */
export interface OpenDoor extends AsyncDisposable {
  run(batch: Batch): Promise<BatchResult>;
}

/** A batch of inputs from one seed. */
export interface Batch {
  seed: number;
  inputs: number;
  /** The path of a counter-example: the batch then consists of that input. */
  path?: string;
}

/** The answers to one batch. */
export interface BatchResult {
  inputs: number;
  /** The number of each answer, for example `401 signature-refused`. */
  answers: Record<string, number>;
  slowestMs: number;
  failure?: CounterExample;
}

/** The smallest input that violates a property, and the seed and path that reproduce it. */
export interface CounterExample {
  seed: number;
  path: string;
  input: string;
  detail: string;
}

/** Sends one input to davit. @returns a summary of the answer. @throws when a property does not hold */
export type RunInput<Input> = (input: Input) => string | Promise<string>;

/** The parts of a door. */
export interface DoorDefinition<Input> {
  inputs: fc.Arbitrary<Input>;
  /** @param opened collects the resources to close with the door */
  open: (opened: AsyncDisposableStack) => RunInput<Input> | Promise<RunInput<Input>>;
}

/** The time limit of one input, in milliseconds. A longer time is a hang. */
const patienceMs = 20_000;

/** Defines a door, which starts its servers when it is opened. */
export function defineDoor<Input>(definition: DoorDefinition<Input>): Door {
  const { inputs } = definition;
  return {
    open: async () => {
      await using opening = new AsyncDisposableStack();
      const run = await definition.open(opening);
      const opened = opening.move();
      return {
        run: (batch) => tryBatch(inputs, run, batch),
        [Symbol.asyncDispose]: () => opened.disposeAsync(),
      };
    },
  };
}

async function tryBatch<Input>(inputs: fc.Arbitrary<Input>, run: RunInput<Input>, batch: Batch): Promise<BatchResult> {
  const answers = new Map<string, number>();
  let slowestMs = 0;
  await throwUncaught();
  const property = fc.asyncProperty(inputs, async (input) => {
    const startedMs = performance.now();
    const answer = await run(input);
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    await throwUncaught();
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  });
  const details = await fc.check(property, {
    seed: batch.seed,
    numRuns: batch.inputs,
    timeout: patienceMs,
    ...(batch.path === undefined ? {} : { path: batch.path, endOnFailure: true }),
  });
  const failure = counterExampleOf(details);
  return { inputs: details.numRuns, answers: Object.fromEntries(answers), slowestMs, ...(failure && { failure }) };
}

function counterExampleOf<Input>(details: fc.RunDetails<[Input]>): CounterExample | undefined {
  if (!details.failed) return undefined;
  const { seed, counterexample, counterexamplePath, errorInstance } = details;
  const detail =
    errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance);
  return { seed, path: counterexamplePath ?? '', input: shown(counterexample?.[0]), detail };
}

/** Formats an input for people: bytes as text, and functions by what they do. */
function shown(input: unknown): string {
  return JSON.stringify(
    input,
    function (this: object, key: string, value: unknown) {
      const original: unknown = Reflect.get(this, key);
      if (Buffer.isBuffer(original)) return original.toString();
      return typeof original === 'function' ? String(original) : value;
    },
    2,
  );
}
