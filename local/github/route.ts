/** A request, as a route sees it. */
export interface Asked {
  /** The parts of the path. */
  parameters: string[];
  query: URLSearchParams;
  body: unknown;
}

/** The answer of a route. */
export interface Answer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A method, a path, and the function that answers. */
export type Route = readonly [method: string, path: RegExp, handle: (asked: Asked) => Answer];

/** Answers by the first route that has this method and path; with 404 if there is none. */
export function route(
  routes: readonly Route[],
  method: string,
  path: string,
  asked: Pick<Asked, 'query' | 'body'>,
): Answer {
  for (const [verb, pattern, handle] of routes) {
    const matched = verb === method ? pattern.exec(path) : null;
    if (matched !== null) return handle({ ...asked, parameters: matched.slice(1).map(decodeURIComponent) });
  }
  return notFound;
}

/** GitHub's answer for a missing resource. */
export const notFound: Answer = { status: 404, body: { message: 'Not Found' } };
