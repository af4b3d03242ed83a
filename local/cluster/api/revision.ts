import { badRequest, failure, untypedError } from '../store/status-error.ts';

/**
 * Reads a resourceVersion of a query; undefined if there is none.
 *
 * @param revision - the present one
 * @throws StatusError BadRequest (400), Timeout (504) if it is still to come.
 */
export const queryRevision = (query: URLSearchParams, revision: number): number | undefined => {
  const wanted = parseRevision(query, (flaw) => badRequest(`invalid resource version: ${flaw}`));
  if (wanted !== undefined && wanted > revision) {
    throw failure(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${revision}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    });
  }
  return wanted;
};

/**
 * Reads the resourceVersion that a watch is to go on from; it may be one that is still to come.
 *
 * @throws StatusError 500, as the real server, if it is none.
 */
export const watchRevision = (query: URLSearchParams): number | undefined => parseRevision(query, untypedError);

const parseRevision = (query: URLSearchParams, malformed: (flaw: string) => Error): number | undefined => {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') {
    return undefined;
  }
  if (!/^\d+$/.test(text)) {
    throw malformed(`resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`);
  }
  return Number(text);
};

/**
 * Reads a query's number that is not negative; undefined if there is none.
 *
 * @throws StatusError BadRequest (400).
 */
export const queryNumber = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name) ?? '';
  if (text === '') {
    return undefined;
  }
  if (!/^\d+$/.test(text)) {
    throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  }
  return Number(text);
};

/** Whether a query says yes to something. */
export const queryFlag = (query: URLSearchParams, name: string): boolean =>
  ['', 'true', '1'].includes(query.get(name) ?? 'false');
