import * as fc from 'fast-check';
import { takeStrays } from './strays.ts';

/** One way into davit, and what is thrown at it. */
export interface Door {
  readonly name: string;
  /** What comes in by it, for people. */
  readonly about: string;
  /** How many of a thousand inputs are for this door. */
  readonly share: number;
  /** Makes it ready to be knocked at, with whatever servers it needs. */
  open(): Promise<OpenDoor>;
}

/** A door that stands ready. */
export interface OpenDoor extends AsyncDisposable {
  knock(batch: Batch): Promise<BatchResult>;
}

/** Inputs that one seed makes. */
export interface Batch {
  seed: number;
  inputs: number;
  /** Of a counter-example: only that input is made. */
  path?: string;
}

/** How the inputs of one batch were answered. */
export interface BatchResult {
  inputs: number;
  /** How often each answer was given: `401 signature-refused`. */
  answers: Record<string, number>;
  slowestMs: number;
  failure?: CounterExample;
}

/** The smallest input found for which a property does not hold, and what makes it again. */
export interface CounterExample {
  seed: number;
  path: string;
  input: string;
  detail: string;
}

/** Gives one input to davit, and says in a few words how it was answered; throws when a property does not hold. */
export type Knock<Input> = (input: Input) => string | Promise<string>;

/** What a door is made of. */
export interface DoorDefinition<Input> {
  name: string;
  about: string;
  share: number;
  inputs: fc.Arbitrary<Input>;
  /** @param opened what has to be closed when the door is */
  open: (opened: AsyncDisposableStack) => Knock<Input> | Promise<Knock<Input>>;
}

/** How long one input may take, in milliseconds; more is a hang. */
const patienceMs = 20_000;

/** Makes a door. */
export function defineDoor<Input>(definition: DoorDefinition<Input>): Door {
  const { name, about, share, inputs } = definition;
  return {
    name,
    about,
    share,
    open: async () => {
      await using opening = new AsyncDisposableStack();
      const knock = await definition.open(opening);
      const opened = opening.move();
      return {
        knock: (batch) => tryBatch(inputs, knock, batch),
        [Symbol.asyncDispose]: () => opened.disposeAsync(),
      };
    },
  };
}

async function tryBatch<Input>(inputs: fc.Arbitrary<Input>, knock: Knock<Input>, batch: Batch): Promise<BatchResult> {
  const answers = new Map<string, number>();
  let slowestMs = 0;
  await takeStrays();
  const property = fc.asyncProperty(inputs, async (input) => {
    const startedMs = performance.now();
    const answer = await knock(input);
    slowestMs = Math.max(slowestMs, performance.now() - startedMs);
    await takeStrays();
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

/** Writes an input for people: bytes as text, and functions as what they do. */
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
