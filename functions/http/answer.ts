/** What an answer is about: for the log and the metrics, and never sent. */
export type AnswerSubject = {
  launchId?: string;
  agentName?: string | undefined;
  profile?: string | undefined;
  cluster?: string | undefined;
  traceHeader?: string | undefined;
  /** Whether the same was asked for before. */
  duplicate?: boolean;
};

/** An answer in the form that API Gateway takes (payload format 2.0), and what it is about. */
export interface HttpAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  about?: AnswerSubject;
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
