import * as fc from 'fast-check';

/** One of several inputs, each with its weight. */
export function weighted<Inputs extends unknown[]>(
  ...choices: { [Index in keyof Inputs]: readonly [weight: number, arbitrary: fc.Arbitrary<Inputs[Index]>] }
): fc.Arbitrary<Inputs[number]> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
