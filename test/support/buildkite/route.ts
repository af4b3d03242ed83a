/** An answer of the fake. */
export interface Answer {
  status: number;
  body: unknown;
}

/** A request to the fake. */
export interface Asked {
  query: URLSearchParams;
  /** What follows `Token ` in its `Authorization`. */
  token: string;
  /** Its JSON, or its text. */
  body: unknown;
}

/** The method, the path, and what answers. */
export type Route = [string, RegExp, (parts: readonly string[], asked: Asked) => Answer];

export function json(status: number, body: unknown): Answer {
  return { status, body };
}

/** "All error responses return a JSON object with a `message` field." */
export function refuse(status: number, message: string): Answer {
  return json(status, { message });
}
