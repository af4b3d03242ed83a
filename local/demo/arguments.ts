import * as z from 'zod';
import { readArguments } from '../read-arguments.ts';

/** The demo's arguments. */
export const DemoArguments = z
  .object({
    launches: z.coerce.number('expected a number').int().min(1).max(1000).default(1),
    concurrency: z.coerce.number('expected a number').int().min(1).max(100).default(4),
    expose: z.enum(['nodePort', 'none']).default('nodePort'),
    fail: z.enum(['image', 'crash', 'agent-never-connects']).optional(),
    keep: z.boolean().default(false),
    kubeconfig: z.string().min(1).optional(),
    listen: z.string().min(1).optional(),
  })
  .refine(({ kubeconfig, listen }) => (kubeconfig === undefined) === (listen === undefined), {
    path: ['listen'],
    error: 'expected together with --kubeconfig, and only with it',
  });
export type DemoArguments = z.infer<typeof DemoArguments>;

export const demoHelp = `npm run demo -- [options]

Starts davit's local runtime with its sandbox cluster (or on yours), and a local GitHub. Queues a job there. GitHub's
signed webhook launches an agent. When the agent connects, davit registers it as a runner. The agent runs the job and
exits. The demo checks that nothing is left.

  --launches N       how many jobs are queued (default 1)
  --concurrency M    how many of them at a time (default 4)
  --expose none      agents that dial out: no Service, the Pod's own address (default nodePort)
  --fail image | crash | agent-never-connects
                     show a failure as a user would meet it
  --keep             do not end the jobs; stay up until Ctrl-C, for davit console, davit list, kubectl
  --kubeconfig FILE  agents in containers of a real cluster instead of the sandbox. Its nodes must have the image
                     davit.dev/reference-agent:latest, and its namespaces must exist (see npm run cluster -- up)
  --listen ADDRESS   this machine's address for Pods of that cluster: davit, GitHub and the CI server listen there
  --help             this text

Exit code 0 only if every launch did what it should, and nothing was left behind.`;

/**
 * Reads the demo's arguments.
 *
 * @returns the arguments, or 'help' if the user asks for help
 * @throws ArgumentError that names the invalid argument
 */
export function readDemoArguments(args: string[]): DemoArguments | 'help' {
  return readArguments(args, DemoArguments);
}
