import * as z from 'zod';
import { present } from '../../core/present.ts';
import { failure } from '../store/status-error.ts';
import { decode } from '../store/strategy.ts';
import type { JsonAnswer } from './answer.ts';
import type { JsonObject } from './json.ts';
import type { ResourceRoute } from './route.ts';

/** Forbids the cluster's only user every action that is equal in each field that the rule sets. */
export interface DenyRule {
  verb?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
}

const user = 'system:serviceaccount:davit:davit';

const AccessReview = z.looseObject({
  spec: z.looseObject({
    resourceAttributes: z
      .looseObject({
        verb: z.string().default(''),
        resource: z.string().default(''),
        subresource: z.string().exactOptional(),
        namespace: z.string().exactOptional(),
      })
      .exactOptional(),
    nonResourceAttributes: z.looseObject({}).exactOptional(),
  }),
});

const fields = ['verb', 'resource', 'subresource', 'namespace'] as const;

function isDenied(rules: readonly DenyRule[], action: DenyRule): boolean {
  return rules.some((rule) => fields.every((field) => rule[field] === undefined || rule[field] === action[field]));
}

/** @throws StatusError Forbidden (403), in RBAC's words, if a rule denies the request. */
export function checkAccess(rules: readonly DenyRule[], route: ResourceRoute): void {
  const { verb, resource, subresource, namespace, name } = route;
  if (!isDenied(rules, present({ verb, resource: resource.name, subresource, namespace }))) return;
  const what = subresource === undefined ? resource.name : `${resource.name}/${subresource}`;
  const subject = name === undefined ? resource.name : `${resource.name} "${name}"`;
  const scope = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const message = `${subject} is forbidden: User "${user}" cannot ${verb} resource "${what}" in API group "" ${scope}`;
  throw failure(403, 'Forbidden', message, present({ kind: resource.name, name }));
}

/**
 * Answers whether the user is allowed to perform an action.
 *
 * @throws StatusError BadRequest (400) for a review of the wrong shape.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1/
 */
export function reviewAccess(rules: readonly DenyRule[], body: JsonObject): JsonAnswer {
  const { spec } = decode(AccessReview, body, 'SelfSubjectAccessReview', '');
  const allowed = spec.resourceAttributes === undefined || !isDenied(rules, spec.resourceAttributes);
  return {
    code: 201,
    body: {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      metadata: {},
      spec,
      status: { allowed },
    },
  };
}
