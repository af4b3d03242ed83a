import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pauseImage } from '../images/images.ts';
import type { ClusterPlan, NodePlan } from '../plan.ts';
import { run } from '../run.ts';
import { until } from '../until.ts';
import { type Component, enterNode, startOnNode } from './processes.ts';

const timeoutMs = 60_000;

/** containerd on a node. */
export function containerd(node: NodePlan): Component {
  return {
    name: `${node.name}-containerd`,
    program: 'containerd',
    args: ['--config', configPathOf(node), '--log-level', 'warn'],
  };
}

/** Starts containerd on a node, and imports the images from archives. */
export async function startContainerRuntime(plan: ClusterPlan, node: NodePlan, archives: string[]): Promise<void> {
  await mkdir(cniDirectoryOf(node), { recursive: true });
  await writeFile(join(cniDirectoryOf(node), '10-pods.conflist'), JSON.stringify(podNetwork(node)));
  await writeFile(configPathOf(node), containerdConfig(node));
  await startOnNode(plan, node, containerd(node));
  const enter = await enterNode(plan, node);
  const ctr = (...args: string[]) => run('nsenter', [...enter, 'ctr', '--namespace', 'k8s.io', ...args]);
  await until(`containerd of ${node.name} answers`, timeoutMs, () => ctr('version'));
  for (const archive of archives) await ctr('images', 'import', archive);
}

const configPathOf = (node: NodePlan): string => join(node.directory, 'etc', 'containerd.toml');
const cniDirectoryOf = (node: NodePlan): string => join(node.directory, 'etc', 'cni');

/** Without CAP_SYS_RESOURCE, runc may not lower an OOM score: a container's score is never below the kubelet's. */
const containerdConfig = (node: NodePlan): string => `version = 2
disabled_plugins = [
  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp",
]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/usr/lib/cni"
  conf_dir = "${cniDirectoryOf(node)}"
`;

/** Connects each Pod to a bridge of its node. The bridge also lets a Pod reach itself through its Service. */
function podNetwork({ podSubnet }: NodePlan): object {
  const ipam = { type: 'host-local', ranges: [[{ subnet: podSubnet }]], routes: [{ dst: '0.0.0.0/0' }] };
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      { type: 'bridge', bridge: 'pods', isGateway: true, hairpinMode: true, ipam },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}
