/** An answer in the form that API Gateway takes (payload format 2.0). */
export interface HttpAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Makes an answer of JSON. No answer may be kept by a cache: each says how things are at this moment.
 *
 * @param headers beside `content-type` and `cache-control`; names in lower case
 */
export function jsonAnswer(statusCode: number, value: object, headers: Record<string, string> = {}): HttpAnswer {
  return {
    statusCode,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(value),
  };
}
