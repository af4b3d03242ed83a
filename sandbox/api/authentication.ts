import { isSameSecret } from '../../runtime/signing/is-same-secret.ts';
import { failure } from '../store/status-error.ts';
import { isPublic } from './discovery.ts';

/** Decides whether a bearer token belongs to the cluster's user. */
export type TokenCheck = (token: string) => boolean;

/** Makes a check that accepts one bearer token. */
export function isToken(known: string): TokenCheck {
  return (token) => isSameSecret(token, known);
}

/**
 * Checks a request's `Authorization` header.
 *
 * @param authorization the header, or undefined without one. Public paths need none
 * @throws StatusError Unauthorized (401) for an unknown or missing token.
 */
export function checkToken(isKnown: TokenCheck, authorization: string | undefined, path: string): void {
  if (authorization === undefined && isPublic(path)) return;
  const token = /^Bearer (.+)$/s.exec(authorization ?? '')?.[1];
  if (token === undefined || !isKnown(token)) throw failure(401, 'Unauthorized', 'Unauthorized');
}
