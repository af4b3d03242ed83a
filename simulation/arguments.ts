import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { RunnerProvider } from '../core/ci/ci-system-config.ts';
import { isFaultKind } from './world/fault-kinds.ts';
import type { FaultPlan } from './world/faults.ts';

/** The options of the simulation. */
export interface SimulateArguments {
  fromSeed: number;
  seeds: number;
  workers: number;
  plan: FaultPlan | undefined;
  jobs: number | undefined;
  queued: number | undefined;
  /** The kind of the queue's CI system. */
  ci: RunnerProvider | 'webhooks' | undefined;
  /** How many times as many jobs a run has as by its seed. */
  times: number;
  /** Whether each run has a queue with sizes and warm agents, and mostly limits. */
  isMixed: boolean;
  trace: boolean;
  /** The file that keeps the results so far. */
  keep: string | undefined;
  /** Whether docs/proof.md gets what the runs came to. */
  record: boolean;
}

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

/** @throws Error that names the option */
function whole(name: string, text: string | undefined, fallback: number, least = 1): number {
  const { success, data } = z.coerce
    .number()
    .int()
    .min(least)
    .max(Number.MAX_SAFE_INTEGER)
    .safeParse(text ?? fallback);
  if (!success) throw new Error(`--${name}: expected a whole number from ${least} on, got ${text}`);
  return data;
}

/**
 * Reads the command line.
 *
 * @returns 'help' for `--help`
 * @throws Error for an unknown option, or a value that is not a whole number, or too low
 */
export function readSimulateArguments(args: string[]): SimulateArguments | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string' },
      seed: { type: 'string' },
      workers: { type: 'string' },
      faults: { type: 'string' },
      jobs: { type: 'string' },
      queued: { type: 'string' },
      ci: { type: 'string' },
      times: { type: 'string' },
      mixed: { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
      keep: { type: 'string' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const chosen = [
    values.mixed ? 'mixed' : '',
    ...(['faults', 'jobs', 'queued', 'ci'] as const).filter((name) => values[name] !== undefined),
  ].filter(Boolean);
  for (const kept of ['keep', 'record'] as const) {
    if (values[kept] && chosen.length > 0) throw new Error(`--${kept} is for any runs, and none of --${chosen[0]}`);
  }
  return {
    fromSeed: whole('seed', values.seed, 1),
    seeds: whole('seeds', values.seeds, 1000),
    workers: whole('workers', values.workers, availableParallelism()),
    plan: values.faults === undefined ? undefined : planOf(values.faults),
    jobs: values.jobs === undefined ? undefined : whole('jobs', values.jobs, 1, 0),
    queued: values.queued === undefined ? undefined : whole('queued', values.queued, 1, 0),
    ci: values.ci === undefined ? undefined : ciOf(values.ci),
    times: whole('times', values.times, 1),
    isMixed: values.mixed,
    trace: values.trace,
    keep: values.keep,
    record: values.record,
  };
}

function ciOf(text: string): RunnerProvider | 'webhooks' {
  const { success, data } = z.enum([...RunnerProvider.options, 'webhooks']).safeParse(text);
  if (!success) throw new Error(`--ci: there is no kind of CI system called ${text}`);
  return data;
}

function planOf(text: string): FaultPlan {
  if (text === 'none') return new Map();
  return new Map(
    text.split(',').map((each) => {
      const [kind = '', rate] = each.split('=');
      if (!isFaultKind(kind)) throw new Error(`--faults: there is no kind of fault called ${kind}`);
      const { success, data } = z.coerce.number().min(0).max(1).safeParse(rate);
      if (!success) throw new Error(`--faults: ${kind}: expected how often, from 0 to 1, got ${rate}`);
      return [kind, data];
    }),
  );
}
