import { invalid } from '../store/field-error.ts';
import { badRequest, failure, invalidObject } from '../store/status-error.ts';

/**
 * Reads a resourceVersion of a query; undefined if there is none.
 *
 * @param revision - the present one
 * @throws StatusError BadRequest (400), Timeout (504) if it is still to come.
 */
export const queryRevision = (query: URLSearchParams, revision: number): number | undefined => {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') {
    return undefined;
  }
  if (!/^\d+$/.test(text)) {
    throw badRequest(`resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`);
  }
  const wanted = Number(text);
  if (wanted > revision) {
    throw failure(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${revision}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    });
  }
  return wanted;
};

/**
 * Reads a query's number that is not negative; undefined if there is none.
 *
 * @throws StatusError Invalid (422).
 */
export const queryNumber = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name) ?? '';
  if (text === '') {
    return undefined;
  }
  if (!/^\d+$/.test(text)) {
    throw invalidObject('ListOptions', '', [invalid(name, text, 'must be a number that is not negative')]);
  }
  return Number(text);
};

/** Whether a query says yes to something. */
export const queryFlag = (query: URLSearchParams, name: string): boolean =>
  ['', 'true', '1'].includes(query.get(name) ?? 'false');
