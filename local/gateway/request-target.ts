/** A request target's parts: the decoded path, and the query as sent. */
export interface RequestTarget {
  path: string;
  queryString: string;
}

/**
 * Reads the request line's target. API Gateway decodes the path first, and a question mark that appears by decoding
 * ends the path.
 *
 * @returns undefined if the target is not a path, is badly percent-encoded, or contains a NUL.
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
