import { createHash, timingSafeEqual } from 'node:crypto';
import { failure } from '../store/status-error.ts';
import { isPublic } from './discovery.ts';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Checks a request's `Authorization` header against the one bearer token that there is.
 *
 * @param authorization - the header; undefined if there is none, which is enough for the public paths
 * @throws StatusError Unauthorized (401).
 */
export const checkToken = (token: string, authorization: string | undefined, path: string): void => {
  if (authorization === undefined && isPublic(path)) {
    return;
  }
  if (!timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`))) {
    throw failure(401, 'Unauthorized', 'Unauthorized');
  }
};
