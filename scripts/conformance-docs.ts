import { allChecks } from '../cli/conformance/all-checks.ts';
import { removal } from '../cli/conformance/run-checks.ts';

/** Writes the document of what davit relies on in a cluster, from the checks of `davit conformance`. */
export function conformanceDocs(): string {
  const rows = [...allChecks, removal].map(
    ({ name, reliesOn, thenDavit }) => `| \`${name}\` | ${reliesOn} | ${thenDavit} |`,
  );
  return [
    '# What davit relies on in a cluster',
    '',
    '<!-- `npm run docs` writes this file from cli/conformance/: change it there. -->',
    '',
    '[`davit conformance`](cli.md#davit-conformance) tries each of these on your own cluster, whatever its version or distribution.',
    'It makes Pods and Services with the label `davit.dev/conformance` in one namespace, and removes them again, also after an error or',
    "Ctrl-C. A result is `held`, `not-held` with the cluster's own words, or `not-checked` with what is missing: a permission, a",
    'quota, a node.',
    '',
    '```sh',
    'kubectl create namespace scratch',
    'davit conformance --namespace scratch',
    '```',
    '',
    "**Whose rights?** The caller's. With davit's own Role the checks of Services are `not-checked`, because the policy that `davit rbac`",
    'prints refuses them, and so are quotas and evictions, which davit neither lists nor makes. An account that may create Pods and',
    'Services, evict Pods, read the namespace and list its quotas gets every result.',
    '',
    '**What the namespace needs.** For `admission`, a policy that refuses privileged Pods, such as the label',
    '`pod-security.kubernetes.io/enforce: baseline`. For `quota`, a ResourceQuota that one object can exceed. The namespaces that',
    '`davit rbac` prints have both. Nothing is exceeded: these two ask by dry runs. No image needs to start.',
    '',
    '| check | davit relies on this: | if it does not hold, davit |',
    '|---|---|---|',
    ...rows,
    '',
    'The same command runs in the tests, on a real Kubernetes (`test/prove/cluster/suites/conformance.test.ts`) and on the sandbox, whose',
    'limits are what it does not hold: `sandbox/README.md` lists them.',
    '',
  ].join('\n');
}
