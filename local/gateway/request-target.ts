/** A request target's parts: the path decoded, the query as it came. */
export interface RequestTarget {
  path: string;
  queryString: string;
}

/**
 * Reads the request line's target. API Gateway decodes the path before anything else, and a question mark that this
 * brings up ends it.
 *
 * @returns undefined for what is not a path, is badly percent-encoded, or has a NUL in it.
 */
export function parseRequestTarget(target: string): RequestTarget | undefined {
  const [, encodedPath, queryString = ''] = /^(?:https?:\/\/[^/?]*)?(\/[^?]*)(?:\?(.*))?$/s.exec(target) ?? [];
  if (encodedPath === undefined) return undefined;
  const decodedPath = decode(encodedPath);
  if (decodedPath === undefined || decodedPath.includes('\0')) return undefined;
  return { path: decodedPath.split('?', 1)[0] ?? '', queryString };
}

function decode(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
