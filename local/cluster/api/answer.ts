import type { ServerResponse } from 'node:http';

/** An answer of one piece. */
export interface JsonAnswer {
  code: number;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** An answer that goes on for as long as it likes, until `signal` says that nobody listens any more. */
export interface StreamAnswer {
  code: 200;
  contentType: string;
  stream: (response: ServerResponse, signal: AbortSignal) => Promise<void>;
}

/** What comes of a request. */
export type Answer = JsonAnswer | StreamAnswer;

/** Sends an answer of one piece. */
export const sendJson = (response: ServerResponse, { code, body, headers }: JsonAnswer): void => {
  const isText = typeof body === 'string';
  response.writeHead(code, {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
    'cache-control': 'no-cache, private',
    ...headers,
  });
  response.end(isText ? body : `${JSON.stringify(body)}\n`);
};
