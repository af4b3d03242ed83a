import type { ServerResponse } from 'node:http';

/** An answer with a complete body. */
export interface JsonAnswer {
  code: number;
  body: unknown;
  headers?: Readonly<Record<string, string>>;
}

/** An answer that streams its body until it ends, or until `signal` reports that the client is gone. */
export interface StreamAnswer {
  code: 200;
  contentType: string;
  stream: (response: ServerResponse, signal: AbortSignal) => Promise<void>;
}

/** The answer to a request. */
export type Answer = JsonAnswer | StreamAnswer;

/** Sends an answer with a complete body. */
export function sendJson(response: ServerResponse, { code, body, headers }: JsonAnswer): void {
  const isText = typeof body === 'string';
  response.writeHead(code, {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
    'cache-control': 'no-cache, private',
    ...headers,
  });
  response.end(isText ? body : `${JSON.stringify(body)}\n`);
}
