import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** The arguments of `npm run prove -- mutate`. */
export interface MutateArguments {
  files: string[];
  concurrency: number;
  /** Whether the simulation judges the mutants that the unit tests miss. */
  simulation: boolean;
  /** Whether to write the results into docs/mutation.md. */
  record: boolean;
}

export const mutateHelp = `npm run prove -- mutate --files GLOB [options]

Changes the code of these files one expression at a time, and runs the tests that cover it: those of the file's own
folder, then the comparisons of the generated documents and the tests of config/, then all unit tests, then 100 seeds of
the simulation, each on what the ones before did not notice. Prints the changes that nothing noticed, each with the reason
that test/prove/mutation has for it. Exit code 1 if one has none: a test is missing, or code does nothing. A file takes about a
minute.

  --files GLOB     for example 'functions/sweep/*.ts'; may be given several times
  --quick          without the simulation
  --concurrency N  how many mutants at once; default: the processors, ${availableParallelism()} here
  --record         writes a row for each folder into docs/mutation.md; --files must have whole folders
  --help           this text
`;

/**
 * @returns undefined when the user asks for the help
 * @throws TypeError, RangeError with what is wrong with the arguments
 */
export function readMutateArguments(args: readonly string[]): MutateArguments | undefined {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      files: { type: 'string', multiple: true, default: [] },
      concurrency: { type: 'string', default: String(availableParallelism()) },
      quick: flag,
      record: flag,
      help: { ...flag, short: 'h' },
    },
  });
  if (values.help) return undefined;
  if (values.files.length === 0) throw new RangeError('--files: expected a glob, for example functions/sweep/*.ts');
  const concurrency = Number(values.concurrency);
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`--concurrency: expected a number from 1 on, found ${values.concurrency}`);
  }
  const { files, quick, record } = values;
  return { files, concurrency, simulation: !quick, record };
}
