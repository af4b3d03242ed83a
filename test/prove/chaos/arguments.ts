import * as z from 'zod';
import { readArguments } from '../../../local/read-arguments.ts';

const ChaosArguments = z.object({
  launches: z.coerce.number('expected a number').int().min(1).max(100_000).default(200),
  seed: z.coerce.number('expected a number').int().min(0).optional(),
  concurrency: z.coerce.number('expected a number').int().min(1).max(200).default(20),
  clusters: z.coerce.number('expected a number').int().min(1).max(2).default(1),
  /** Whether to write docs/chaos.md. */
  proof: z.boolean().default(false),
});
/** The arguments of `npm run prove -- chaos`. */
export type ChaosArguments = z.infer<typeof ChaosArguments>;

/** The output of `npm run prove -- chaos --help`. */
export const chaosHelp = `npm run prove -- chaos [options]

Launches on a real Kubernetes that it starts on this machine, most on nodes that kwok plays and some in real containers,
while davit, single functions, API servers and containerd are killed with -9 at random moments. At the end, API servers are
frozen, davit is killed, a Pod is deleted and a node is lost, while agents work and launches begin. Within three rounds of
davit's sweeps, everything must be at rest: docs/invariants.md. Each launch had one agent at most, and none was told anything
but its own Pod's and Service's address, after it was published. Linux, root, Go: npm run cluster -- --help.

  --launches N      how many jobs are queued (default 200)
  --concurrency M   how many of them at a time (default 20)
  --clusters K      1 or 2 real control planes: with 2, a launch whose cluster is away moves to the other (default 1)
  --seed S          determines what is killed or cancelled, and when; davit's progress by then depends on the machine
                    (default: a new one each time)
  --proof           writes docs/chaos.md
  --help            this text

Exit code 1 if any of that did not hold, with the full history of the affected launches; 2 if the run could not finish. The
cluster is removed in any case, also after Ctrl-C.`;

/** @returns 'help' for `--help` @throws ArgumentError whose message names each invalid argument */
export function readChaosArguments(args: string[]): ChaosArguments | 'help' {
  return readArguments(args, ChaosArguments);
}
