import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isSameSecret } from '../../runtime/signing/is-same-secret.ts';
import { gatewayMessage, type HttpApiResponse } from './http-api-response.ts';
import type { Route } from './route.ts';

/** The settings of the guard. */
export interface CallerGuardOptions {
  /** The API's host names besides this machine's: those of the public URL and of the listening address. */
  hostNames: readonly string[];
  /** The bearer token of this run, for routes that IAM authorizes on AWS. */
  token: string;
}

/** Returns the answer that refuses a request, or undefined if the request is allowed. */
export type CallerGuard = (message: IncomingMessage, route: Route) => HttpApiResponse | undefined;

/**
 * Makes the guard of a local API. Every user and every web page on this machine can reach the API.
 *
 * - A browser names the site from which a request comes. The guard refuses requests from pages of other sites.
 * - Routes that IAM authorizes on AWS need the token of this run and one of the API's own names. A web page could use
 *   another name to pass for the same site (DNS rebinding). An IP address is safe.
 * - Webhooks and agents authenticate themselves and can use any name, such as a tunnel's or a proxy's.
 */
export function createCallerGuard({ hostNames, token }: CallerGuardOptions): CallerGuard {
  const ownNames = new Set(['localhost', ...hostNames.map((name) => name.toLowerCase())]);
  return ({ method, headers }, { authorization }) => {
    if (isFromAnotherSite(headers)) return gatewayMessage(403, 'Forbidden: the request comes from another site');
    if (authorization !== 'iam') return undefined;
    if (!isOwnHost(headers.host ?? '', ownNames)) {
      return gatewayMessage(421, `Misdirected Request: ${headers.host} is not a name of this API`);
    }
    if (!isSameSecret(headers.authorization ?? '', `Bearer ${token}`)) {
      return gatewayMessage(401, 'Unauthorized: expected the bearer token of this run');
    }
    if (method === 'POST' && mediaTypeOf(headers) !== 'application/json') {
      return gatewayMessage(415, 'Unsupported Media Type: expected application/json');
    }
    return undefined;
  };
}

/** @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site */
function isFromAnotherSite({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}

function isOwnHost(host: string, ownNames: ReadonlySet<string>): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const name = new URL(`http://${host}`).hostname;
  return ownNames.has(name) || isIP(name.replaceAll(/[[\]]/g, '')) !== 0;
}

function mediaTypeOf(headers: IncomingHttpHeaders): string | undefined {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}
