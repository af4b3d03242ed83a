import type { Readable, Writable } from 'node:stream';
import { Exec, type V1Status } from '@kubernetes/client-node';
import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';
import type { AgentContainer } from './agent-pod.ts';

/** The streams of a command: a shell of a person has a terminal, and no separate stream of errors. */
export interface Streams {
  /** Sent to the command; null for a command that reads nothing. */
  stdin: (Readable & { setRawMode?: (isRaw: boolean) => unknown }) | null;
  stdout: Writable;
  stderr: Writable;
  isTerminal: boolean;
}

/**
 * Runs a command in an agent's container, as `kubectl exec` does.
 *
 * @returns its exit code
 * @throws CliError `exec-refused` in the cluster's words
 * @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#-strong-misc-operations-pod-v1-core-strong-
 */
export async function runInAgent(
  { config, namespace, pod, container }: AgentContainer,
  command: readonly string[],
  { stdin, stdout, stderr, isTerminal }: Streams,
): Promise<number> {
  const ended = Promise.withResolvers<number>();
  if (isTerminal) stdin?.setRawMode?.(true);
  try {
    const socket = await new Exec(config)
      .exec(namespace, pod, container, [...command], stdout, isTerminal ? null : stderr, stdin, isTerminal, (status) =>
        ended.resolve(exitCodeOf(status)),
      )
      .catch((error: unknown) => {
        throw new CliError('refused', 'exec-refused', `the cluster opens no shell: ${refusalOf(error)}`, advice, error);
      });
    // A cluster that closes the connection first has not said how the command ended.
    socket.on('close', () => ended.resolve(1));
    return await ended.promise;
  } finally {
    if (isTerminal) stdin?.setRawMode?.(false);
    stdin?.pause();
  }
}

const advice = 'It needs `create pods/exec` in the namespace: kubectl auth can-i create pods/exec';

/** A WebSocket's error is an event, and no Error. */
function refusalOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return wordsOf(typeof message === 'string' ? message : error);
}

function exitCodeOf({ status, details }: V1Status): number {
  if (status === 'Success') return 0;
  const code = Number(details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message);
  return Number.isInteger(code) ? code : 1;
}
