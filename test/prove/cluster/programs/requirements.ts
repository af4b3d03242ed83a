import { constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isThere } from '../is-there.ts';

/** A requirement that this machine does not meet. */
export interface Missing {
  what: string;
  /** The command or step that installs it. */
  get: string;
}

const packages: Readonly<Record<string, string>> = {
  containerd: 'containerd',
  runc: 'runc',
  ctr: 'containerd',
  busybox: 'busybox-static',
  curl: 'curl',
  iptables: 'iptables',
  ip: 'iproute2',
  conntrack: 'conntrack',
  nsenter: 'util-linux',
};
const cniPlugins = '/usr/lib/cni';

/** The requirements that this machine lacks; empty when it can start a cluster. */
export async function missingRequirements(): Promise<Missing[]> {
  const missing: Missing[] = [];
  if (process.platform !== 'linux') return [{ what: 'Linux', get: 'run this on a Linux machine' }];
  if (process.getuid?.() !== 0) missing.push({ what: 'root', get: 'run this as root: it makes network namespaces' });
  if (!(await isThere('/sys/fs/cgroup/pids'))) {
    missing.push({ what: 'cgroup v1', get: 'boot with systemd.unified_cgroup_hierarchy=0' });
  }
  if ((await find('go')) === undefined) missing.push({ what: 'go 1.24 or newer', get: 'https://go.dev/dl' });
  const programs = Object.entries(packages).map(([what, name]) => ({ what, get: `apt-get install ${name}` }));
  missing.push(...(await missingPrograms(programs)));
  if (!(await isThere(join(cniPlugins, 'bridge')))) {
    missing.push({ what: `${cniPlugins}/bridge`, get: 'apt-get install containernetworking-plugins' });
  }
  return missing;
}

/** Those of these programs that this machine lacks. */
export async function missingPrograms(programs: readonly Missing[]): Promise<Missing[]> {
  const found = await Promise.all(programs.map(({ what }) => find(what)));
  return programs.filter((_program, index) => found[index] === undefined);
}

/** Formats the missing requirements, one per line. */
export function describeMissing(missing: readonly Missing[]): string {
  return missing.map(({ what, get }) => `  ${what} is missing: ${get}`).join('\n');
}

async function find(program: string): Promise<string | undefined> {
  // An ordinary user's PATH lacks the administrators' directories.
  const directories = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];
  for (const directory of directories) {
    const path = join(directory, program);
    if (await isThere(path, constants.X_OK)) return path;
  }
  return undefined;
}
