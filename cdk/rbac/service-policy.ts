import type { DavitIdentity } from './davit-identity.ts';
import { type KubernetesManifest, setUpLabels } from './kubernetes-object.ts';

const name = 'davit-services';
const managedBy = 'app.kubernetes.io/managed-by';
const agentName = 'davit.dev/agent-name';

/** The conditions on each Service that davit creates or updates, in CEL, with the message of a refusal. */
const validations = [
  { expression: "object.spec.type == 'NodePort'", message: 'davit makes Services of type NodePort only' },
  {
    // Each node sends traffic for an external IP to the Service, even if the address belongs to somebody else
    // (CVE-2020-8554).
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
    // A Service with another selector could send traffic to Pods that are not davit's, and one without a selector to
    // any address.
    expression: `has(object.spec.selector) && '${agentName}' in object.spec.selector && object.spec.selector['${agentName}'] == object.metadata.name`,
    message: `davit's Services select the agent of their own name by ${agentName}`,
  },
];

/**
 * Makes the policy that limits davit's identity to Services of davit's own form. RBAC can grant `create` only for all
 * Services: a creator can claim any IP address with `externalIPs`, and receive the traffic of the whole cluster to it.
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

/** Builds the CEL condition that davit makes the request. A JSON string is also a CEL string. */
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
