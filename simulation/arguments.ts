import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { RunnerProvider } from '../core/ci/ci-system-config.ts';
import { readArguments } from '../local/read-arguments.ts';
import { type FaultKind, isFaultKind } from './world/fault-kinds.ts';

/** The text of `--help`. */
export const simulateHelp = `npm run simulate -- [options]

Runs davit's own logic and state machine in simulated worlds, one a seed, with faults at random and in combination, and
judges everything that happened. The same seed is the same run. Prints what it came to; exit code 1 if anything broke.

  --seeds N        how many seeds (default 1000; a seed has 1 to 10 jobs)
  --seed S         the first of them (default 1)
  --workers W      how many threads (default: the processors that there are)
  --faults a=0.1,b=0.4 | none
                   the kinds of fault that may hit, and how often each of their chances is taken (default: by the seed)
  --jobs N         how many jobs a run has that are pinned to their agents (default: by the seed)
  --queued N       how many jobs any agent of their pool may take (default: by the seed)
  --ci KIND        the kind of CI system of each run's queue: github, gitea, jenkins, gitlab, forgejo, buildkite;
                   webhooks: one of the first two (default: by the seed)
  --times N        each run has N times as many jobs as by its seed (default 1)
  --mixed          each run has a queue with sizes and warm agents, and mostly limits (default: sizes or warm agents)
  --trace          print everything that happened (one seed)
  --keep FILE      keep in FILE what the runs have come to; asked again, go on where they were stopped
  --record         write what the runs came to into docs/proof.md
  --help           this text`;

/** A whole number, as text. */
function whole(least = 1) {
  return z
    .string()
    .refine((text) => Number.isSafeInteger(Number(text)) && Number(text) >= least, {
      error: ({ input }) => `expected a whole number from ${least} on, got ${String(input)}`,
    })
    .transform(Number);
}

const FaultRate = z.string().transform((text, { issues, value: input }): [FaultKind, number] => {
  const [kind = '', rate] = text.split('=');
  const { success, data } = z.coerce.number().min(0).max(1).safeParse(rate);
  if (isFaultKind(kind) && success) return [kind, data];
  const message = isFaultKind(kind)
    ? `${kind}: expected how often, from 0 to 1, got ${rate}`
    : `there is no kind of fault called ${kind}`;
  issues.push({ code: 'custom', message, input });
  return z.NEVER;
});

const SimulateArguments = z
  .object({
    seeds: whole().default(1000),
    seed: whole().default(1),
    workers: whole().default(availableParallelism()),
    faults: z
      .string()
      .transform((text) => (text === 'none' ? [] : text.split(',')))
      .pipe(z.array(FaultRate))
      .transform((rates) => new Map(rates))
      .optional(),
    jobs: whole(0).optional(),
    queued: whole(0).optional(),
    ci: z
      .enum([...RunnerProvider.options, 'webhooks'], {
        error: ({ input }) => `there is no kind of CI system called ${String(input)}`,
      })
      .optional(),
    times: whole().default(1),
    mixed: z.boolean().default(false),
    trace: z.boolean().default(false),
    keep: z.string().optional(),
    record: z.boolean().default(false),
  })
  .superRefine(({ keep, record, mixed, ...given }, context) => {
    const chosen = mixed
      ? 'mixed'
      : (['faults', 'jobs', 'queued', 'ci'] as const).find((name) => given[name] !== undefined);
    if (chosen === undefined || (keep === undefined && !record)) return;
    const path = [keep === undefined ? 'record' : 'keep'];
    context.addIssue({ code: 'custom', path, message: `it is for any runs, and none of --${chosen}` });
  });
/** The options of the simulation. */
export type SimulateArguments = z.infer<typeof SimulateArguments>;

/** @returns 'help' for `--help` @throws ArgumentError that names each option that is wrong */
export function readSimulateArguments(args: string[]): SimulateArguments | 'help' {
  return readArguments(args, SimulateArguments, { short: 'h' });
}
