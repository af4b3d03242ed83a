import { parseArgs } from 'node:util';
import * as z from 'zod';
import { measures } from './measures.ts';
import { fullSize, quickSize, type Size } from './size.ts';

/** What `npm run bench` is asked for. */
export interface BenchArguments {
  size: Size;
  /** The names of the measures to take. */
  only: readonly string[];
  /** Whether docs/bench/ is written. */
  write: boolean;
}

const names = measures.map(({ name }) => name);

const Arguments = z.object({
  quick: z.boolean(),
  only: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(names, `expected some of ${names.join(', ')}`)))
    .optional(),
  'grow-to': z.coerce.number('expected a number').int().min(30).max(100_000).optional(),
});

export const benchHelp = `npm run bench -- [options]

Measures davit on a real Kubernetes that it starts on this machine, each figure beside its limit in the same run: the
bare calls to Kubernetes that a launch cannot do without. Linux, root, Go: npm run cluster -- --help. Takes ten minutes on
two quiet processors, and writes docs/bench/ after each measure: results.json, the figures in README.md, charts.

  --quick          a first answer in a minute: few samples, and docs/bench/ stays as it is
  --only A,B       these measures alone; of the others, docs/bench/ keeps what was measured before
  --grow-to N      has "growth" make N launches, however long it takes (default: 10000, but no longer than a minute)
  --help           this text

Exit code 1 if a goal is missed that is a count: API calls, states, transitions, pages. Times are shown, not judged. Exit
code 2 if a measure could not be taken.

Measures:
${measures.map(({ name, about }) => `  ${name.padEnd(15)}${about}\n`).join('')}`;

/**
 * Reads the command line.
 *
 * @returns 'help' when that is asked for
 * @throws Error whose message names each argument that is wrong
 */
export function readBenchArguments(args: string[]): BenchArguments | 'help' {
  const flag = { type: 'boolean', default: false } as const;
  const string = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { quick: flag, help: flag, only: string, 'grow-to': string },
  });
  if (values.help) return 'help';
  const parsed = Arguments.safeParse(values);
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(({ path, message }) => `--${path[0]?.toString()}: ${message}`).join('\n'));
  }
  const { quick, only = names, 'grow-to': launches } = parsed.data;
  const size = quick ? quickSize : fullSize;
  const growTo = launches === undefined ? size.growTo : { samples: launches, forSeconds: Number.POSITIVE_INFINITY };
  return { size: { ...size, growTo }, only, write: !quick };
}
