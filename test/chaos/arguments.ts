import { parseArgs } from 'node:util';
import * as z from 'zod';

/** What `npm run chaos` is asked for. */
export const ChaosArguments = z.object({
  launches: z.coerce.number('expected a number').int().min(1).max(100_000).default(200),
  seed: z.coerce.number('expected a number').int().min(0).optional(),
  concurrency: z.coerce.number('expected a number').int().min(1).max(200).default(20),
  /** Whether docs/chaos.md is written. */
  proof: z.boolean(),
});
export type ChaosArguments = z.infer<typeof ChaosArguments>;

/** What `npm run chaos -- --help` prints. */
export const chaosHelp = `npm run chaos -- [options]

Launches on a real Kubernetes that it starts on this machine, most on nodes that kwok plays and some in real containers,
while davit, single functions, the API server and containerd are killed with -9 at random moments. At the end, after one
sweep, nothing with davit's label may be left in any namespace, every launch must have an ending, each had one agent at
most, and none was told anything but its own Pod's and Service's address, after it was published. Linux, root, Go:
npm run cluster -- --help.

  --launches N      how many jobs are queued (default 200)
  --concurrency M   how many of them at a time (default 20)
  --seed S          what is killed and cancelled, and after how long; how far davit is by then is up to the machine
                    (default: another one each time)
  --proof           writes docs/chaos.md
  --help            this text

Exit code 1 if any of that did not hold; then the launches that it is about are told from their beginning. 2 if the run
came to no end. The cluster is removed in any case, also after Ctrl-C.`;

/**
 * Reads the command line.
 *
 * @returns 'help' when that is asked for
 * @throws Error whose message names each argument that is wrong
 */
export function readChaosArguments(args: string[]): ChaosArguments | 'help' {
  const flag = { type: 'boolean', default: false } as const;
  const string = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: { launches: string, concurrency: string, seed: string, proof: flag, help: flag },
  });
  if (values.help) return 'help';
  const parsed = ChaosArguments.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('\n'));
}
