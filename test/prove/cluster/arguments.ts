import { parseArgs } from 'node:util';
import * as z from 'zod';

/** The arguments of `npm run cluster`. */
export const ClusterArguments = z.object({
  action: z.enum(['up', 'down', 'status'], 'expected up, down or status'),
  /** Undefined for all clusters. */
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]*$/, 'expected lower case letters, digits and dashes')
    .optional(),
  nodes: z.coerce.number('expected a number').int().min(1).max(3).default(1),
  'kwok-nodes': z.coerce.number('expected a number').int().min(0).max(1000).default(0),
  'node-port-range': z
    .string()
    .regex(/^\d{1,5}-\d{1,5}$/, 'expected FROM-TO, for example 30000-30003')
    .default('30000-32767'),
});
export type ClusterArguments = z.infer<typeof ClusterArguments>;

export const clusterHelp = `npm run cluster -- up|down|status [NAME] [options]

Runs a real Kubernetes on this machine, for tests: etcd, the control plane, kubelets with real containers, kube-proxy, in
separate networks (10.250.N.0/24). Several clusters can run at the same time. Needs Linux, root, Go, and Debian's
containerd, runc, containernetworking-plugins and busybox-static; the command names what is missing. The first up compiles
Kubernetes.

  up [NAME]       starts a cluster (default davit) and prints its kubeconfig's path
  down [NAME]     removes it, whatever state it is in
  down --all      removes all clusters of this machine
  status [NAME]   lists the clusters and their components

  --nodes N                 nodes with a kubelet, 1 to 3 (default 1)
  --kwok-nodes N            nodes that kwok simulates, for many Pods that never run (default 0); they are tainted
                            kwok.x-k8s.io/node and labelled type=kwok
  --node-port-range A-B     (default 30000-32767)
  --help                    this text`;

/** @returns 'help' when the user asks for it @throws Error whose message names each invalid argument */
export function readClusterArguments(args: string[]): ClusterArguments | 'help' {
  const string = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { nodes: string, 'kwok-nodes': string, 'node-port-range': string, all: flag, help: flag },
  });
  if (values.help) return 'help';
  const [action, name = action === 'status' ? undefined : 'davit'] = positionals;
  const parsed = ClusterArguments.safeParse({ ...values, action, name: values.all ? undefined : name });
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
}
