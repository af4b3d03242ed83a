import { STATUS_CODES } from 'node:http';
import {
  ApiException,
  CoreV1Api,
  createConfiguration,
  HttpMethod,
  RequestContext,
  type ResponseContext,
  ServerConfiguration,
} from '@kubernetes/client-node';
import { type Dispatcher, fetch } from 'undici';
import type { ClusterAccess } from './cluster-access.ts';

/** How long the adapter waits for a cluster, in milliseconds. */
export interface Patience {
  /** For the answer to one call. */
  callMs: number;
  /** For the next data of a watch. A watch that is silent for longer may be broken unnoticed. */
  silenceMs: number;
  /** After a watch that ended: limits how often davit reads a server that closes every watch at once. */
  pauseMs: number;
}

const usualPatience: Patience = { callMs: 5000, silenceMs: 10_000, pauseMs: 250 };

/** A cluster's API, over connections that all calls share. All methods may throw ApiException and what fetch throws. */
export interface ClusterConnection extends Pick<ClusterAccess, 'endpoint' | 'authenticatedBy' | 'renewedBy'> {
  patience: Patience;
  core: CoreV1Api;
  /** Asks the server whether it is ready. */
  checkReady: () => Promise<void>;
  /** Returns the server's answer at a path. */
  readText: (path: string) => Promise<string>;
  /** Opens a watch: the answer's lines as they come. */
  stream: (
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<AsyncIterable<string>>;
}

/**
 * How long connections may be idle between two calls. Lambda freezes a function between its invocations, and a connection
 * that was idle for longer may be broken unnoticed.
 */
const restMs = 4000;

/** By itself, undici closes a connection after each DELETE that has a body. */
const withoutReset: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch({ ...options, reset: false }, handler);

/**
 * Refuses a web page in place of an answer, which a proxy may send with status 200, for example to log in. The client would
 * read it as an object without fields.
 */
async function refusePage(context: ResponseContext): Promise<ResponseContext> {
  const isPage = context.headers['content-type']?.startsWith('text/html') === true;
  if (context.httpStatusCode >= 300 || !isPage) return context;
  await context.body.text();
  throw new SyntaxError('the answer is a web page');
}

/**
 * Connects to a cluster. Nothing is sent yet.
 *
 * The client makes new connections for each call, and waits for as long as they are open. This middleware keeps the
 * connections of the first call for all others, and gives each call a time-out.
 *
 * @param patience @default 5 s a call, 10 s of silence, 250 ms of pause
 */
export function connectCluster(access: ClusterAccess, patience = usualPatience): ClusterConnection {
  const { kubeConfig, endpoint, authenticatedBy, renewedBy } = access;
  let kept: Dispatcher | undefined;
  let usedAtMs = 0;

  function keepConnections(context: RequestContext): RequestContext {
    const nowMs = performance.now();
    if (nowMs - usedAtMs > restMs) kept = undefined;
    usedAtMs = nowMs;
    kept ??= context.getDispatcher()?.compose(withoutReset);
    if (kept !== undefined) context.setDispatcher(kept);
    return context;
  }

  const core = new CoreV1Api(
    createConfiguration({
      baseServer: new ServerConfiguration(endpoint, {}),
      authMethods: { default: kubeConfig },
      promiseMiddleware: [
        {
          pre: async (context) => {
            context.setSignal(AbortSignal.timeout(patience.callMs));
            context.setHeaderParam('User-Agent', 'davit');
            return keepConnections(context);
          },
          post: refusePage,
        },
      ],
    }),
  );

  /** The client's Watch ignores lines that are not JSON, and drops a refusal's message. So this uses fetch. */
  async function open(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal) {
    const context = new RequestContext(`${endpoint}${path}?${new URLSearchParams(query).toString()}`, HttpMethod.GET);
    await kubeConfig.applySecurityAuthentication(context);
    const dispatcher = keepConnections(context).getDispatcher();
    const headers = { ...context.getHeaders(), 'User-Agent': 'davit' };
    const answer = await fetch(context.getUrl(), { headers, signal, ...(dispatcher ? { dispatcher } : {}) });
    if (answer.ok) return answer;
    const { status } = answer;
    throw new ApiException(status, STATUS_CODES[status] ?? '', await answer.text(), Object.fromEntries(answer.headers));
  }

  const readText = async (path: string) => (await open(path, {}, AbortSignal.timeout(patience.callMs))).text();

  return {
    endpoint,
    authenticatedBy,
    renewedBy,
    patience,
    core,
    readText,
    checkReady: async () => {
      await readText('/readyz');
    },
    stream: async (path, query, signal) => linesOf((await open(path, query, signal)).body ?? []),
  };
}

async function* linesOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}
