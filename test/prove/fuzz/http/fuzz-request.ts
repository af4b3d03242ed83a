import type { EventOptions } from '../../../support/http-event.ts';

/** A generated request, for the handlers' logic or for a socket. */
export interface FuzzRequest {
  method: string;
  /** Not encoded. */
  segments: readonly string[];
  query: Record<string, string>;
  /** In order; names may repeat. */
  headers: readonly (readonly [name: string, value: string])[];
  body: Buffer;
}

/** The second path segment's meaning, by the first segment. */
const parameterNames: Readonly<Record<string, string>> = {
  webhooks: 'name',
  agents: 'agentName',
  launches: 'launchId',
};

/** Makes API Gateway's event from a request: it joins repeated headers with commas. */
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
