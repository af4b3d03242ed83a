import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Log } from '@kubernetes/client-node';
import { type AgentContainer, ask } from './agent-pod.ts';

/** How much of a log to read. */
export interface LogAsked {
  follow: boolean;
  /** The last lines only. @default all of them */
  tail?: number;
}

/**
 * Reads the log of an agent's container, and follows it until the container ends.
 *
 * @param write receives whole pieces of text
 * @throws CliError in the cluster's words
 */
export async function readLog(
  { config, namespace, pod, container }: AgentContainer,
  launchId: string,
  { follow, tail }: LogAsked,
  write: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(decoder.decode(chunk, { stream: true }));
      done();
    },
  });
  const options = { follow, ...(tail === undefined ? {} : { tailLines: tail }) };
  const request = await ask(() => new Log(config).log(namespace, pod, container, sink, options), launchId);
  signal.addEventListener('abort', () => request.abort(), { once: true });
  await finished(sink).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
