import { ApiException, type AuthorizationV1Api } from '@kubernetes/client-node';

const callMs = 10_000;

/** The command that fixes what a cluster lacks. */
export const rbacFix = 'davit rbac | kubectl apply --server-side -f -';

/** Treats a refusal, or a route that a small API server lacks, as an answer; throws any other error. */
export function refused(error: unknown): undefined {
  if (error instanceof ApiException && (error.code === 403 || error.code === 404)) return undefined;
  throw error;
}

/** Bounds a call: the client waits for as long as the connection is open. */
export async function inTime<Result>(call: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${callMs / 1000} s`)), callMs);
  try {
    return await Promise.race([call, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The attributes of a right in the core API group. */
export interface RightAttributes {
  verb: string;
  resource: string;
  subresource?: string;
  /** @default every one, or of a resource that is in none */
  namespace?: string;
}

/**
 * Asks whether the caller has a right.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export async function isAllowed(authorization: AuthorizationV1Api, attributes: RightAttributes): Promise<boolean> {
  const body = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group: '', ...attributes } },
  };
  const { status } = await inTime(authorization.createSelfSubjectAccessReview({ body }));
  return status?.allowed === true;
}

/** The words of a Status object of Kubernetes. */
export function messageOf({ body, code }: Pick<ApiException<unknown>, 'body' | 'code'>): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (/"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? `${code}`).replaceAll('\\"', '"').slice(0, 300);
}
