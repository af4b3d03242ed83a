import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { onRequests, signedScopeOf, whenRead } from '../../support/aws-calls.ts';

/** The number of functions' calls to AWS and the cluster, by call. */
export interface CallTally extends Disposable {
  readonly calls: ReadonlyMap<string, number>;
  reset(): void;
}

const Asked = z.object({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  RequestItems: z.record(z.string(), z.object({ Keys: z.array(z.unknown()) })).optional(),
});

/**
 * Counts the functions' calls where they arrive: at the local services and the sandbox cluster. Signed requests, and
 * all requests to the cluster's API, are the functions'. The test itself signs with another name.
 */
export function tallyCalls(): CallTally {
  const calls = new Map<string, number>();
  const count = (call: string) => calls.set(call, (calls.get(call) ?? 0) + 1);
  const listening = onRequests((request) => {
    const ofCluster = clusterCall(request);
    if (ofCluster !== undefined) count(ofCluster);
    const { by, service } = signedScopeOf(request);
    if (by === undefined) return;
    const operation = request.headers['x-amz-target']?.toString().split('.').at(-1) ?? 'Invoke';
    if (service === 'dynamodb')
      whenRead(request, (body) => tablesOf(body).forEach((table) => count(`${service}:${operation} ${table}`)));
    else count(`${service}:${operation}`);
  });
  return { calls, reset: () => calls.clear(), [Symbol.dispose]: () => listening[Symbol.dispose]() };
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', DELETE: 'delete', PATCH: 'patch', PUT: 'update' };

/** In the form of Kubernetes' audit log: `kubernetes:watch pods`. */
function clusterCall({ method = '', url = '' }: IncomingMessage): string | undefined {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const path = /^\/api\/v1\/(?:namespaces\/[^/]+\/)?(?<resource>[a-z]+)(?<name>\/[^/]+)?/.exec(pathname)?.groups;
  if (path === undefined) return undefined;
  const read = searchParams.has('watch') ? 'watch' : path['name'] === undefined ? 'list' : 'get';
  return `kubernetes:${verbs[method] ?? read} ${path['resource']}`;
}

/** The table or index that a request names, or that of each item of a batch. */
function tablesOf(body: unknown): string[] {
  const { TableName = 'several tables', IndexName, RequestItems } = Asked.parse(body);
  if (RequestItems !== undefined)
    return Object.entries(RequestItems).flatMap(([table, { Keys }]) => Keys.map(() => table));
  return [IndexName === undefined ? TableName : `${TableName}/${IndexName}`];
}
