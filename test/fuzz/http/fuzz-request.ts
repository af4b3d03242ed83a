import type { EventOptions } from '../../support/http-event.ts';

/** A request as an input has it: it can go through the handlers' logic, or over a socket. */
export interface FuzzRequest {
  method: string;
  /** Not encoded. */
  segments: readonly string[];
  query: Record<string, string>;
  /** In order; names may come twice. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
}

/** What stands in a path's second place, by its first. */
const parameterNames: Readonly<Record<string, string>> = {
  webhooks: 'name',
  agents: 'agentName',
  launches: 'launchId',
};

/** Makes of a request what API Gateway makes of it: doubled headers are joined by commas. */
export function eventOptionsOf({ method, segments, query, headers, body }: FuzzRequest): EventOptions {
  const [first = '', second] = segments;
  const parameterName = parameterNames[first];
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const earlier = joined.get(name.toLowerCase());
    joined.set(name.toLowerCase(), earlier === undefined ? value : `${earlier},${value}`);
  }
  return {
    method,
    path: `/${segments.join('/')}`,
    query,
    headers: Object.fromEntries(joined),
    body,
    ...(parameterName !== undefined && second !== undefined && { parameters: { [parameterName]: second } }),
  };
}
