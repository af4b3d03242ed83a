import type { DavitIdentity } from './davit-identity.ts';
import { type KubernetesManifest, setUpLabels } from './kubernetes-object.ts';

const name = 'davit-services';
const managedBy = 'app.kubernetes.io/managed-by';
const agentName = 'davit.dev/agent-name';

/** What each Service that davit creates or updates must be, in CEL, and what davit reads when one is not. */
const validations = [
  { expression: "object.spec.type == 'NodePort'", message: 'davit makes Services of type NodePort only' },
  {
    // A node sends traffic for an external IP to the Service, whoever the address belongs to (CVE-2020-8554).
    expression: '!has(object.spec.externalIPs) || object.spec.externalIPs.size() == 0',
    message: 'davit makes no Services with externalIPs',
  },
  {
    expression: '!has(object.spec.loadBalancerIP) && !has(object.spec.loadBalancerClass)',
    message: 'davit makes no Services with a load balancer',
  },
  {
    expression: `has(object.metadata.labels) && '${managedBy}' in object.metadata.labels && object.metadata.labels['${managedBy}'] == 'davit'`,
    message: `davit labels its Services with ${managedBy}: davit`,
  },
  {
    // Any other selector would lead traffic to Pods that are not davit's; without one, to any address.
    expression: `has(object.spec.selector) && '${agentName}' in object.spec.selector && object.spec.selector['${agentName}'] == object.metadata.name`,
    message: `davit's Services select the agent of their own name by ${agentName}`,
  },
];

/**
 * Makes the policy that holds davit's identity to the Services which davit makes. RBAC grants `create` on Services as a
 * whole: their creator can claim any IP address by `externalIPs`, and take in the traffic of the whole cluster to it.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 * @see https://github.com/kubernetes/kubernetes/issues/97076
 */
export function servicePolicy(identity: DavitIdentity): KubernetesManifest[] {
  const metadata = { name, labels: { ...setUpLabels } };
  return [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['services'] },
          ],
        },
        matchConditions: [{ name: 'is-davit', expression: requestIsBy(identity) }],
        validations,
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

/** Says in CEL that a request is made by davit. A JSON string is a string of CEL as well. */
function requestIsBy(identity: DavitIdentity): string {
  switch (identity.kind) {
    case 'Group':
      return `${JSON.stringify(identity.name)} in request.userInfo.groups`;
    case 'User':
      return `request.userInfo.username == ${JSON.stringify(identity.name)}`;
    case 'ServiceAccount':
      return `request.userInfo.username == "system:serviceaccount:${identity.namespace}:${identity.name}"`;
  }
}
