import type { RequestOptions } from 'node:https';
import {
  ApiException,
  CoreV1Api,
  createConfiguration,
  KubeConfig,
  type RequestContext,
  ServerConfiguration,
} from '@kubernetes/client-node';
import { Agent, type Dispatcher, fetch } from 'undici';
import { TerminalError } from '../../domain/errors.ts';

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
export interface ClusterConnection {
  endpoint: string;
  /** How, without the secret: `a bearer token`. */
  authenticatedBy: string;
  patience: Patience;
  api: CoreV1Api;
  /** Opens a watch: the answer's lines as they come. @throws ApiException when the server refuses */
  stream: (path: string, query: URLSearchParams, signal: AbortSignal) => Promise<AsyncIterable<string>>;
}

/**
 * Connects to the cluster of a kubeconfig's current context. Nothing is sent yet.
 *
 * @param kubeconfig YAML or JSON
 * @param patience @default 5 s a call, 10 s of silence, 250 ms of pause
 * @throws TerminalError KubeconfigInvalid
 */
export function connectCluster(cluster: string, kubeconfig: string, patience = usualPatience): ClusterConnection {
  const kubeConfig = loadKubeconfig(cluster, kubeconfig);
  const endpoint = endpointOf(cluster, kubeConfig);
  const authenticate = authentication(cluster, kubeConfig, patience);

  const api = new CoreV1Api(
    createConfiguration({
      baseServer: new ServerConfiguration(endpoint, {}),
      authMethods: {
        default: {
          getName: () => 'davit',
          applySecurityAuthentication: async (context: RequestContext) => {
            const { headers, agent } = await authenticate();
            for (const [name, value] of Object.entries(headers)) context.setHeaderParam(name, value);
            context.setDispatcher(agent);
            context.setSignal(AbortSignal.timeout(patience.callMs));
          },
        },
      },
    }),
  );

  return {
    endpoint,
    authenticatedBy: authenticationOf(kubeConfig),
    patience,
    api,
    stream: async (path, query, signal) => {
      const { headers, agent } = await authenticate();
      const answer = await fetch(`${endpoint}${path}?${query.toString()}`, { headers, dispatcher: agent, signal });
      if (!answer.ok || answer.body === null) {
        throw new ApiException(answer.status, 'watch refused', await answer.text(), Object.fromEntries(answer.headers));
      }
      return linesOf(answer.body);
    },
  };
}

function loadKubeconfig(cluster: string, text: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromString(text);
  } catch (cause) {
    // The parser's own words could quote the secret.
    throw new TerminalError('KubeconfigInvalid', 'it does not parse as a kubeconfig', { cluster }, { cause });
  }
  return kubeConfig;
}

/** Reads where the API server is. A password in its URL would be in every error that names the endpoint. */
function endpointOf(cluster: string, kubeConfig: KubeConfig): string {
  const server = kubeConfig.getCurrentCluster()?.server;
  if (server === undefined) {
    throw new TerminalError('KubeconfigInvalid', 'its current context names no cluster', { cluster });
  }
  const url = URL.parse(server);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return server;
  const says = 'the server of its current context is no https: or http: URL, or has a user in it';
  throw new TerminalError('KubeconfigInvalid', says, { cluster });
}

function authenticationOf(kubeConfig: KubeConfig): string {
  const { exec, token, certData, certFile } = kubeConfig.getCurrentUser() ?? {};
  if (token) return 'a bearer token';
  if (exec) return 'the plugin of its kubeconfig';
  return (certData ?? certFile) ? 'a client certificate' : 'nothing';
}

/**
 * Left alone, the client opens a TLS connection per request: one Agent, made from the kubeconfig's own TLS settings at
 * the first call, is given to them all. Headers are asked for each time: a kubeconfig may renew its token.
 */
function authentication(
  cluster: string,
  kubeConfig: KubeConfig,
  { callMs }: Patience,
): () => Promise<{ headers: Record<string, string>; agent: Dispatcher }> {
  let agent: Dispatcher | undefined;
  return async () => {
    const options = await requestOptions(cluster, kubeConfig);
    const { ca, cert, key, rejectUnauthorized, servername } = options;
    agent ??= new Agent({
      connect: { ca, cert, key, rejectUnauthorized, servername },
      connectTimeout: callMs,
    }).compose(keepAfterDelete);
    return { headers: sendable(cluster, stringsOf(options.headers)), agent };
  };
}

async function requestOptions(cluster: string, kubeConfig: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  try {
    await kubeConfig.applyToHTTPSOptions(options);
  } catch (cause) {
    // As above: a kubeconfig's program may fail with the secret in its words.
    throw new TerminalError('KubeconfigInvalid', 'its TLS settings or its user are of no use', { cluster }, { cause });
  }
  return options;
}

/** Left alone, undici closes a connection after each DELETE that has a body, as each of ours has. */
const keepAfterDelete: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch({ ...options, reset: false }, handler);

function stringsOf(headers: RequestOptions['headers']): Record<string, string> {
  const entries = Object.entries(headers ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** Line ends around a value are cut off by fetch; within one they are refused. */
const sendableValue = /^[\r\n]*[\t\x20-\x7e\x80-\xff]*[\r\n]*$/;

/** Left to fetch, a header that cannot be sent is told of with its value, which is the secret. */
function sendable(cluster: string, headers: Record<string, string>): Record<string, string> {
  const refused = Object.keys(headers).find((name) => !sendableValue.test(headers[name] ?? ''));
  if (refused === undefined) return headers;
  const says = `its user’s credentials cannot be sent: ${refused} would have a line end, or a character above U+00FF`;
  throw new TerminalError('KubeconfigInvalid', says, { cluster });
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
