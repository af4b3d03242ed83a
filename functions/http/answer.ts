/** What an answer is about. Goes into the log and the metrics, never to the caller. */
export type AnswerSubject = {
  launchId?: string;
  agentName?: string | undefined;
  profile?: string | undefined;
  cluster?: string | undefined;
  traceHeader?: string | undefined;
  /** Whether the request repeats an earlier one. */
  duplicate?: boolean;
};

/** An answer in the form that API Gateway takes (payload format 2.0), and what it is about. */
export interface HttpAnswer {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  subject?: AnswerSubject;
}

/**
 * Builds a JSON answer. No cache may keep it: it is true at this moment only.
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
