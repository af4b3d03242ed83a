import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../runtime/signing/is-same-secret.ts';

/** The headers that show the origin of a request. */
export interface ArrivedRequest {
  method: string;
  headers: IncomingHttpHeaders;
}

/** Why the console does not answer a request. */
export interface Refusal {
  status: 401 | 403;
  reason: string;
}

/** The name of the console's cookie. Each console has a host name of its own. */
export const cookieName = 'davit-console';

/** The values that identify the console's own pages. */
export interface OwnPages {
  /** The console's own origin, e.g. `http://0a1b2c3d.localhost:41234`. */
  origin: string;
  /** The value of the cookie. */
  session: string;
}

/**
 * Refuses a request from another site's page, or to another host name. A foreign name that points to this machine (DNS
 * rebinding) is in `Host`; another page's origin is in `Origin`, `Sec-Fetch-Site` or both.
 *
 * @returns undefined for a request that comes from the console's own pages, or that the person typed
 * @see https://owasp.org/www-community/attacks/csrf
 */
export function judgeOrigin({ method, headers }: ArrivedRequest, { origin }: OwnPages): Refusal | undefined {
  const { host, origin: from, 'sec-fetch-site': site = 'none' } = headers;
  if (host !== new URL(origin).host) return { status: 403, reason: 'This is not the address of the console.' };
  if (from !== undefined && from !== origin) return { status: 403, reason: 'The request comes from another page.' };
  if (site !== 'none' && site !== 'same-origin') return { status: 403, reason: 'The request comes from another site.' };
  // A browser sends the origin of each request that may change something.
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead || from === origin ? undefined : { status: 403, reason: 'The request does not name its origin.' };
}

/** Refuses a request without the cookie that the printed link sets. */
export function judgeSession(
  { headers }: Pick<ArrivedRequest, 'headers'>,
  { session }: Pick<OwnPages, 'session'>,
): Refusal | undefined {
  const sent = (headers.cookie ?? '').split(/; */).map((pair) => pair.split('='));
  const value = sent.find(([name]) => name === cookieName)?.[1] ?? '';
  if (isSameSecret(value, session)) return undefined;
  return { status: 401, reason: 'Open the link that `davit console` printed. Each link works once.' };
}
