import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LoopbackServer, startLoopbackServer } from '../../local/loopback-server.ts';
import type { GithubAppArguments } from './arguments.ts';
import { ConversionError, type MadeApp } from './convert-code.ts';
import { appManifest } from './manifest.ts';
import { installUrlOf } from './next-steps.ts';
import { donePage, formPage, refusedPage } from './pages.ts';

/** A form on the loopback that sends a person to GitHub, and receives GitHub's answer. */
export interface Form extends LoopbackServer {
  /** The URL that the person opens. It is not guessable. */
  formUrl: string;
  /** The App of the first accepted code; rejects when another try would not help. */
  taken: Promise<MadeApp>;
}

/**
 * Serves the form.
 *
 * @param take exchanges a code; throws ConversionError when the person may try again
 * @param onRefusal receives the reason for each refused request
 * @throws the listen error, as Node words it
 */
export async function serveForm(
  options: GithubAppArguments,
  take: (code: string) => Promise<MadeApp>,
  onRefusal: (reason: string) => void,
): Promise<Form> {
  const formPath = `/${randomBytes(32).toString('base64url')}`;
  const state = randomBytes(32).toString('base64url');
  const { promise: taken, resolve, reject } = Promise.withResolvers<MadeApp>();
  // Its caller may have stopped waiting.
  taken.catch(() => undefined);
  const exchanges = new Map<string, Promise<MadeApp>>();

  /** A browser may send a code twice. GitHub exchanges a code once. */
  async function takeOnce(code: string): Promise<MadeApp> {
    const underWay = exchanges.get(code) ?? take(code);
    exchanges.set(code, underWay);
    try {
      return await underWay;
    } catch (error) {
      exchanges.delete(code);
      throw error;
    }
  }

  async function answerCallback(query: URLSearchParams, response: ServerResponse): Promise<void> {
    const code = query.get('code') ?? '';
    if (query.get('state') !== state || code === '') {
      const reason = code === '' ? 'There is no code in the request.' : 'The state is not that of this form.';
      onRefusal(reason);
      sendPage(response, 403, refusedPage(reason, formPath));
      return;
    }
    try {
      const app = await takeOnce(code);
      sendPage(response, 200, donePage(installUrlOf(app)));
      resolve(app);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      sendPage(response, 502, refusedPage(reason, formPath));
      if (error instanceof ConversionError) onRefusal(reason);
      else reject(error);
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method === 'GET' && pathname === '/callback') return answerCallback(searchParams, response);
    if (request.method !== 'GET' || pathname !== formPath) return sendPage(response, 404, refusedPage('Not found.'));
    const { url, organization } = options;
    const action = `${url}/organizations/${organization}/settings/apps/new?state=${state}`;
    sendPage(response, 200, formPage(action, appManifest(options, `${server.url}/callback`)));
  }

  const server = await startLoopbackServer(
    (request, response) => {
      answer(request, response).catch(reject);
    },
    { port: options.port },
  );
  return { ...server, formUrl: `${server.url}${formPath}`, taken };
}

function sendPage(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'referrer-policy': 'origin',
    connection: 'close',
  });
  response.end(html);
}
