import * as z from 'zod';
import { readArguments } from '../../../local/read-arguments.ts';
import { faultNames, faults, systemNames } from './faults.ts';

const PeersArguments = z.object({
  jobs: z.coerce.number('expected a number').int().min(1).max(100_000).default(84),
  'at-once': z.coerce.number('expected a number').int().min(1).max(20).default(6),
  patience: z.coerce.number('expected a number').int().min(10).max(3600).default(600),
  only: z.array(z.enum(faultNames)).default(faultNames),
  system: z.array(z.enum(systemNames)).default([...systemNames]),
  /** Whether to write docs/peers.md. */
  record: z.boolean().default(false),
});
/** The arguments of `npm run prove -- peers`. */
export type PeersArguments = z.infer<typeof PeersArguments>;

const list = Object.entries(faults)
  .map(([name, what]) => `  ${name.padEnd(20)} ${what}`)
  .join('\n');

/** The output of `npm run prove -- peers --help`. */
export const peersHelp = `npm run prove -- peers [options]

Runs the same faults on davit and on Buildbot's KubeLatentWorker, on one real Kubernetes that it starts on this machine, and
counts from outside, by the same code for both: what became of each job, which Pods are left, how long an agent takes, and
what the controller uses. Linux, root, Go: npm run cluster -- --help. And python3 with venv, and git.

  --jobs N         how many jobs each fault and system gets (default 84: 1,008 jobs a system)
  --at-once M      how many of them are requested at once and get a fault together (default 6)
  --patience S     how many seconds a job has until it counts as lost or stuck (default 600)
  --only FAULT     only this fault; may be given several times
  --system NAME    davit or Buildbot; may be given several times (default both)
  --record         writes each result into docs/peers.md
  --help           this text

${list}

Exit code 1 if davit lost a job, ran one twice, left one waiting or left a Pod; 2 if the run could not finish. The cluster is
removed in any case, also after Ctrl-C.`;

/** @returns 'help' for `--help` @throws ArgumentError whose message names each invalid argument */
export function readPeersArguments(args: string[]): PeersArguments | 'help' {
  return readArguments(args, PeersArguments);
}
