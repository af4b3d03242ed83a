import { parseArgs } from 'node:util';
import * as z from 'zod';
import { checkArguments } from '../../support/check-arguments.ts';
import { measures } from './measures.ts';
import { fullSize, quickSize, type Size } from './size.ts';

/** The arguments of `npm run bench`. */
export interface BenchArguments {
  size: Size;
  /** The names of the measures to take. */
  only: readonly string[];
  /** Whether to write docs/bench/README.md. */
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
  'fail-for': z.coerce.number('expected a number').int().min(1).max(86_400).optional(),
  burst: z.coerce.number('expected a number').int().min(50).max(100_000).optional(),
});

export const benchHelp = `npm run bench -- [options]

Measures davit on a real Kubernetes that it starts on this machine. The same run measures each figure's lower bound: the
unavoidable calls to Kubernetes of a launch. Needs Linux, root and Go: npm run cluster -- --help. Takes half an hour on two
idle processors, prints each measure's figures, and writes those with a goal into docs/bench/README.md.

  --quick          first results within a minute: few samples, and the page stays unchanged
  --only A,B       only these measures; the page keeps the earlier figures of the others
  --grow-to N      makes "growth" run N launches, however long it takes (default: 10000, but no longer than a minute)
  --fail-for N     makes "flaps" run for N seconds (default: 300); an hour is 3600
  --burst N        makes "burst" send N webhooks, and the page stays unchanged
  --help           this text

Exit code 1 if a count misses its goal: API calls, states, transitions, pages. Times are shown, not judged. Exit code 2 if
a measure failed.

Measures:
${measures.map(({ name, description }) => `  ${name.padEnd(15)}${description}\n`).join('')}`;

/**
 * Reads the command line.
 *
 * @returns 'help' when the user asks for it
 * @throws Error whose message names each invalid argument
 */
export function readBenchArguments(args: string[]): BenchArguments | 'help' {
  const flag = { type: 'boolean', default: false } as const;
  const string = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { quick: flag, help: flag, only: string, 'grow-to': string, 'fail-for': string, burst: string },
  });
  if (values.help) return 'help';
  const { quick, only = names, 'grow-to': launches, 'fail-for': failFor, burst } = checkArguments(Arguments, values);
  const size = quick ? quickSize : fullSize;
  const failingSeconds = failFor ?? size.failingSeconds;
  const growTo = launches === undefined ? size.growTo : { samples: launches, forSeconds: Number.POSITIVE_INFINITY };
  const sized = { ...size, growTo, failingSeconds, burst: burst ?? size.burst };
  return { size: sized, only, write: !quick && burst === undefined };
}
