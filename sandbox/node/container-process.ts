import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './error-code.ts';
import { signalGroup } from './process-group.ts';
import type { ProcessGuard } from './process-guard.ts';

/** How long to wait for output that processes of an ended group still hold open. */
const outputGraceMs = 1000;

/** A command to run, and the receiver of its output. */
export interface ProcessOptions {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
  directory: string;
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): void;
}

/** How a process ended: with an exit code or a signal. */
export interface ProcessEnd {
  code: number | null;
  signalNumber?: number;
}

/** A container's processes: a process group that its command leads. */
export interface ContainerProcess {
  /** Resolves when the command has ended, its group is killed and its output is complete. Never rejects. */
  ended: Promise<ProcessEnd>;
  /** Sends a signal to the whole group. */
  signal(name: NodeJS.Signals): void;
}

/** A command cannot start. The message has containerd's words. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * Starts a command in its own process group, with only the given environment.
 *
 * @throws StartError if the command does not exist or cannot be executed.
 */
export async function startProcess(options: ProcessOptions, guard: ProcessGuard): Promise<ContainerProcess> {
  const [command = '', ...args] = options.command;
  const words = [...options.command, ...Object.values(options.environment)];
  if (command === '' || words.some((word) => word.includes('\0'))) {
    throw new StartError(startFailure(command, 'EINVAL'));
  }
  const child = spawn(command, args, {
    cwd: options.directory,
    env: options.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = child.pid;
  if (group === undefined) {
    const [cause] = await once(child, 'error');
    throw new StartError(startFailure(command, errorCode(cause)), { cause });
  }
  guard.add(group);
  child.stdout.on('data', (chunk: Buffer) => options.onOutput('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => options.onOutput('stderr', chunk));
  return { ended: endOfProcess(child, group, guard), signal: (name) => void signalGroup(group, name) };
}

/** Waits for the end of the first process and kills its group: as in a container, nothing outlives it. */
async function endOfProcess(
  child: ChildProcessByStdio<null, Readable, Readable>,
  group: number,
  guard: ProcessGuard,
): Promise<ProcessEnd> {
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  signalGroup(group, 'SIGKILL');
  guard.remove(group);
  // A process that left the group can hold the output open. This does not wait for it.
  await Promise.race([closed, sleep(outputGraceMs, undefined, { ref: false })]);
  child.stdout.destroy();
  child.stderr.destroy();
  return signal === null ? { code } : { code, signalNumber: constants.signals[signal] };
}

/** @see https://github.com/opencontainers/runc/blob/main/libcontainer/init_linux.go */
function startFailure(command: string, code: string | undefined): string {
  const nowhere = command.includes('/')
    ? `stat ${command}: no such file or directory`
    : 'executable file not found in $PATH';
  const known: Record<string, string> = { ENOENT: nowhere, EACCES: 'permission denied', EINVAL: 'invalid argument' };
  const why = known[code ?? ''] ?? code ?? 'unknown error';
  const runc = `unable to start container process: error during container init: exec: "${command}": ${why}: unknown`;
  return `failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ${runc}`;
}
