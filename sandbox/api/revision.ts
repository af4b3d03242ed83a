import { badRequest, failure, untypedError } from '../store/status-error.ts';

/**
 * Reads the resourceVersion of a query. Returns undefined if there is none.
 *
 * @param revision the store's present revision
 * @throws StatusError BadRequest (400) for a malformed version, Timeout (504) for one in the future.
 */
export function queryRevision(query: URLSearchParams, revision: number): number | undefined {
  const wanted = parseRevision(query, (flaw) => badRequest(`invalid resource version: ${flaw}`));
  if (wanted !== undefined && wanted > revision) {
    throw failure(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${revision}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    });
  }
  return wanted;
}

/**
 * Reads the resourceVersion from which a watch starts. It can be in the future.
 *
 * @throws StatusError 500, as from the real server, for a malformed version.
 */
export function watchRevision(query: URLSearchParams): number | undefined {
  return parseRevision(query, untypedError);
}

function parseRevision(query: URLSearchParams, malformed: (flaw: string) => Error): number | undefined {
  const text = query.get('resourceVersion') ?? '';
  if (text === '') return undefined;
  if (!/^\d+$/.test(text)) {
    throw malformed(`resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`);
  }
  return Number(text);
}

/**
 * Reads a non-negative integer of a query. Returns undefined if there is none.
 *
 * @throws StatusError BadRequest (400) for anything else.
 */
export function queryNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  if (!/^\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing "${text}": invalid syntax`);
  return Number(text);
}

/** Whether a flag of a query is set. */
export function queryFlag(query: URLSearchParams, name: string): boolean {
  return ['', 'true', '1'].includes(query.get(name) ?? 'false');
}
