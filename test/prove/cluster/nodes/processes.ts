import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessGone } from '../is-there.ts';
import { type ClusterPlan, directoryOf, type NodePlan, tagOf } from '../plan.ts';
import { until } from '../until.ts';
import { makeTrackingCgroup, processesIn } from './cgroups.ts';

/** A long-running program of a cluster. */
export interface Component {
  /** The name of its cgroup and its log. */
  name: string;
  program: string;
  args: readonly string[];
}

const timeoutMs = 10_000;
const joinAndRun = 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"';

/** The path of a component's log. */
export const logPathOf = (plan: ClusterPlan, name: string): string => join(directoryOf(plan), `${name}.log`);

/** The cgroup of a component or of a node's Pods. It identifies their processes. */
export const cgroupOf = (plan: ClusterPlan, name: string): string => join(tagOf(plan), name);

/**
 * Starts a component that outlives this process. The shell joins the cgroup before it executes the program, which can
 * never leave it.
 */
export async function startProcess(plan: ClusterPlan, { name, program, args }: Component): Promise<void> {
  const cgroup = await makeTrackingCgroup(cgroupOf(plan, name));
  const log = openSync(logPathOf(plan, name), 'a');
  try {
    const child = spawn('sh', ['-c', joinAndRun, 'sh', cgroup, program, ...args], {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
    });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.unref();
  } finally {
    closeSync(log);
  }
}

/** Starts a component in a node's network and mount namespaces. */
export async function startOnNode(plan: ClusterPlan, node: NodePlan, component: Component): Promise<void> {
  const { program, args } = component;
  const enter = [...(await enterNode(plan, node)), program, ...args];
  await startProcess(plan, { ...component, program: 'nsenter', args: enter });
}

/** The arguments of nsenter, before those of the program to run in the node. */
export async function enterNode(plan: ClusterPlan, { machine }: NodePlan): Promise<string[]> {
  const [pid] = await pidsOf(plan, machine);
  if (pid === undefined) throw new Error(`cluster ${plan.name}: ${machine} does not run`);
  return ['--target', String(pid), '--net', '--mount', '--'];
}

/** All processes of a component. containerd has several, because its containers' shims belong to it. */
export function pidsOf(plan: ClusterPlan, name: string): Promise<number[]> {
  return processesIn(cgroupOf(plan, name));
}

/**
 * Sends a signal to a component's own process, not to its children. With SIGKILL, resolves when the process is gone.
 */
export async function signalComponent(plan: ClusterPlan, component: Component, signal: NodeJS.Signals): Promise<void> {
  const { name, program } = component;
  const running = await Promise.all((await pidsOf(plan, name)).map(async (pid) => ({ pid, is: await programOf(pid) })));
  const found = running.find(({ is }) => is === program);
  if (found === undefined) throw new Error(`cluster ${plan.name}: ${name} does not run`);
  process.kill(found.pid, signal);
  if (signal !== 'SIGKILL') return;
  await until(`${name} has ended`, timeoutMs, async () => !(await pidsOf(plan, name)).includes(found.pid));
}

/** A process's command line; undefined when the process has ended. */
async function programOf(pid: number): Promise<string | undefined> {
  return (await unlessGone(readFile(`/proc/${pid}/cmdline`, 'utf8'), undefined))?.split('\0')[0];
}
