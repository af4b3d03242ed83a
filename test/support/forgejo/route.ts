import type { IncomingHttpHeaders } from 'node:http';

/** An answer of the fake. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A request to the fake. */
export interface Asked {
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Its JSON. */
  body: unknown;
}

/** The method, the path, and what answers. */
export type Route = [string, RegExp, (parts: readonly string[], asked: Asked) => Answer];

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, body, headers };
}

/** `services/context/api.go`, `APIError`. */
export function refuse(status: number, message: string): Answer {
  return json(status, { message, url: 'http://forgejo/api/swagger' });
}
