import { type ApiRequest, createApiClient } from './api-client.ts';
import type { ClusterAccess } from './cluster-access.ts';

/** How long the adapter waits for a cluster, in milliseconds. */
export interface Patience {
  /** For the answer to one call. */
  callMs: number;
  /** For a watch to say anything: one that says nothing for so long may be dead without knowing it. */
  silenceMs: number;
  /** After a watch that ended: a server that closes every watch at once is read at this pace, not faster. */
  pauseMs: number;
}

const usualPatience: Patience = { callMs: 5000, silenceMs: 10_000, pauseMs: 250 };

/** A cluster's API, over connections that are kept and shared by all calls. */
export interface ClusterConnection extends Pick<ClusterAccess, 'endpoint' | 'authenticatedBy' | 'renewedBy'> {
  patience: Patience;
  /** Makes a call. @returns the answer's body @throws ApiRefusal, ConnectionError */
  call: (request: ApiRequest) => Promise<string>;
  /** Opens a watch: the answer's lines as they come. @throws ApiRefusal, ConnectionError */
  stream: (
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<string>>;
}

/**
 * Connects to a cluster. Nothing is sent yet.
 *
 * @param patience @default 5 s a call, 10 s of silence, 250 ms of pause
 */
export function connectCluster(access: ClusterAccess, patience = usualPatience): ClusterConnection {
  const { endpoint, authenticatedBy, renewedBy } = access;
  const client = createApiClient(access);
  return {
    endpoint,
    authenticatedBy,
    renewedBy,
    patience,
    call: (request) => client.call(request, AbortSignal.timeout(patience.callMs)),
    stream: async (path, query, signal) => linesOf(await client.stream({ method: 'GET', path, query }, signal)),
  };
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}
