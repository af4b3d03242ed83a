import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startOnBothLoopbacks } from '../../local/both-loopbacks.ts';
import type { LoopbackServer } from '../../local/loopback-server.ts';
import { isSameSecret } from '../../runtime/signing/is-same-secret.ts';
import { CliError } from '../cli-error.ts';
import { wordsOf } from '../words-of.ts';
import type { ConsoleSettings } from './console-settings.ts';
import { type Asked, type Forwarder, isForwarded } from './forward.ts';
import { cookieName, judgeOrigin, judgeSession, type OwnPages, type Refusal } from './judge-request.ts';
import { type PageFileName, type PageFiles, pageFileTypes } from './page-files.ts';
import { securityHeaders } from './security-headers.ts';

/** The parts of a console. */
export interface ConsoleDeps {
  files: PageFiles;
  davit: Forwarder;
  settings: ConsoleSettings;
  /** @default 0, any free port */
  port?: number;
}

/** A running console. Its `url` has a host name of its own: see `serveConsole`. */
export interface Console extends LoopbackServer {
  /** The link that the person opens, once. It is not guessable. */
  link: string;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

const apiPrefix = '/api';

/**
 * Serves the console to this machine. Exchanges the link's token, once, for a cookie that every other request needs.
 *
 * A browser sends a host's cookies to all ports of that host, and so to any program of another user that listens on
 * 127.0.0.1. So each console has a random name of its own under `.localhost`, which browsers resolve to this machine,
 * and answers to no other.
 *
 * @throws the listen error, as Node words it
 * @see https://www.rfc-editor.org/rfc/rfc6761#section-6.3
 * @see https://www.rfc-editor.org/rfc/rfc6265#section-8.5
 */
export async function serveConsole({ files, davit, settings, port = 0 }: ConsoleDeps): Promise<Console> {
  let token: string | undefined = randomBytes(32).toString('base64url');
  const session = randomBytes(32).toString('base64url');
  const server = await startOnBothLoopbacks((request, response) => void answer(request, response), port);
  const url = `http://${randomBytes(16).toString('hex')}.localhost:${server.port}`;
  const own: OwnPages = { origin: url, session };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers } = request;
    const asked = URL.parse(`${own.origin}${request.url}`);
    if (asked === null) return send(response, notFound);
    const refusal = judgeOrigin({ method, headers }, own);
    if (refusal !== undefined) return send(response, refused(refusal));
    if (asked.pathname === '/open' && method === 'GET') return send(response, exchange(asked.searchParams));
    const stranger = judgeSession({ headers }, own);
    if (stranger !== undefined) return send(response, refused(stranger));
    send(response, await route(method, asked, headers['if-none-match']));
  }

  function exchange(query: URLSearchParams): Answer {
    if (token === undefined || !isSameSecret(query.get('token') ?? '', token)) {
      return refused({
        status: 401,
        reason: 'This link has been used, or is of another run. Run `davit console` again.',
      });
    }
    token = undefined;
    const cookie = `${cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    return { status: 303, headers: { location: '/', 'set-cookie': cookie } };
  }

  async function route(method: string, { pathname, search }: URL, ifNoneMatch?: string): Promise<Answer> {
    const name = pathname === '/' ? 'index.html' : pathname.slice(1);
    if (method === 'GET' && isPageFile(name)) {
      return { status: 200, headers: { 'content-type': pageFileTypes[name] }, body: files[name] };
    }
    if (!pathname.startsWith(`${apiPrefix}/`)) return notFound;
    const path = pathname.slice(apiPrefix.length);
    if (method === 'GET' && path === '/settings') return json(200, settings);
    try {
      if (method === 'POST' && path === '/sweep') return json(200, await davit.sweepDry());
      const asked: Asked = { method, path, search, ...(ifNoneMatch === undefined ? {} : { ifNoneMatch }) };
      return isForwarded(asked) ? await passOn(await davit.send(asked)) : notFound;
    } catch (error) {
      return problemOf(error);
    }
  }

  return { ...server, url, link: `${url}/open?token=${token}` };
}

function isPageFile(name: string): name is PageFileName {
  return Object.hasOwn(pageFileTypes, name);
}

const notFound: Answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not found.\n' };

function refused({ status, reason }: Refusal): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: `${reason}\n` };
}

function json(status: number, value: unknown, type = 'application/json'): Answer {
  return { status, headers: { 'content-type': type }, body: JSON.stringify(value) };
}

async function passOn(answer: Response): Promise<Answer> {
  const headers = ['content-type', 'etag'].flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const body = await answer.text();
  return { status: answer.status, headers: Object.fromEntries(headers), ...(body === '' ? {} : { body }) };
}

/** Why the console cannot ask davit, in the form of davit's own problems. */
function problemOf(error: unknown): Answer {
  const { code, message, advice } =
    error instanceof CliError ? error : new CliError('failed', 'unexpected', wordsOf(error));
  const detail = advice === undefined ? message : `${message}. ${advice}`;
  return json(503, { type: `about:blank#${code}`, title: code, status: 503, detail }, 'application/problem+json');
}

function send(response: ServerResponse, { status, headers = {}, body }: Answer): void {
  response.writeHead(status, { ...securityHeaders, ...headers });
  response.end(body);
}
