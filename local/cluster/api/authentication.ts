import { createHash, timingSafeEqual } from 'node:crypto';
import { failure } from '../store/status-error.ts';
import { isPublic } from './discovery.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Says whether a bearer token is the cluster's user's. */
export type TokenCheck = (token: string) => boolean;

/** Accepts the one bearer token that there is. */
export const isToken =
  (known: string): TokenCheck =>
  (token) =>
    timingSafeEqual(digest(token), digest(known));

/**
 * Checks a request's `Authorization` header.
 *
 * @param authorization - the header; undefined if there is none, which is enough for the public paths
 * @throws StatusError Unauthorized (401).
 */
export const checkToken = (isKnown: TokenCheck, authorization: string | undefined, path: string): void => {
  if (authorization === undefined && isPublic(path)) {
    return;
  }
  const token = /^Bearer (.+)$/s.exec(authorization ?? '')?.[1];
  if (token === undefined || !isKnown(token)) {
    throw failure(401, 'Unauthorized', 'Unauthorized');
  }
};
