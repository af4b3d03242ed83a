import { clusterObjects } from '../../../../cdk/rbac/cluster-objects.ts';
import { tokenIdentity } from '../../../../cdk/rbac/davit-identity.ts';
import { agentPod } from '../../../../core/agent/agent-objects.ts';
import type { Profile } from '../../../../core/config/config.ts';
import { planLaunch } from '../../../../core/launch/plan-launch.ts';
import { openApi } from '../../../contract/api-client.ts';
import { configOfExample, exampleNames, type Manifest, manifestsOf } from '../../../support/examples.ts';
import { apply } from '../apply.ts';
import { openTestCluster } from '../test-cluster.ts';

const cluster = await openTestCluster();
const admin = openApi(cluster.kubeconfig);
afterAll(async () => {
  for (const namespace of made) await admin.send(`/api/v1/namespaces/${namespace}`, { method: 'DELETE' });
  admin[Symbol.dispose]();
});

/** The other suites use the examples' own namespace, and this one deletes what it has made. */
const elsewhere = (text: string) => text.replaceAll('davit-agents', 'davit-examples');

/** What a dry run needs to be there. The rest of an example is checked by the server, and not kept. */
const kept = ['Namespace', 'ServiceAccount', 'LimitRange', 'ResourceQuota'];
const made = new Set<string>();

async function take(manifest: Pick<Manifest, 'kind' | 'metadata'>): Promise<void> {
  const isKept = kept.includes(manifest.kind);
  if (manifest.kind === 'Namespace') made.add(manifest.metadata.name);
  await apply(admin, manifest, { isDryRun: !isKept });
}

/** Makes what `davit rbac` prints for every cluster of an example. */
async function setUp(example: string, podSecurity: 'baseline' | 'privileged'): Promise<void> {
  const config = configOfExample(example, elsewhere);
  for (const { name } of config.clusters) {
    for (const object of clusterObjects(config, name, tokenIdentity, { podSecurity })) await take(object);
  }
}

/** Asks the server to create the Pod of a profile, as a dry run. @returns its refusal */
async function refusalOf(profile: Profile): Promise<string | undefined> {
  const plan = planLaunch(profile, { launchId: 'example' }, Date.now());
  const extras = { env: {}, labels: {}, credentialId: 'example', serviceUid: undefined };
  const path = `/api/v1/namespaces/${profile.namespace}/pods?dryRun=All&fieldValidation=Strict`;
  const { status, body } = await admin.send(path, { method: 'POST', body: agentPod(plan, profile, extras) });
  return status === 201 ? undefined : String(body['message']);
}

/** The profiles with a privileged container, within a user namespace or not: their namespaces need that level. */
const privileged = ['arc-dind', 'images'];

describe.each(exampleNames)('a real API server, at the example %s', (example) => {
  const { profiles } = configOfExample(example, elsewhere);

  test('takes its manifests, with no field that it does not know', async () => {
    await setUp(example, 'baseline');
    const own = manifestsOf(example, elsewhere).filter(({ apiVersion }) => !/^(karpenter|kueue)\./.test(apiVersion));

    for (const manifest of own) await expect(take(manifest)).resolves.toBeUndefined();
  });

  test('takes its Pods at the level baseline, except those that its guide calls privileged', async () => {
    await setUp(example, 'baseline');

    const refused = [];
    for (const profile of profiles) {
      const why = await refusalOf(profile);
      if (why !== undefined) refused.push({ name: profile.name, why });
    }

    const expected = profiles.map(({ name }) => name).filter((name) => privileged.includes(name));
    expect(refused.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
    for (const { why } of refused) expect(why).toMatch(/violates PodSecurity "baseline:latest": .*privileged/);
  });

  test('takes all of its Pods at the level that its guide says', async () => {
    await setUp(example, profiles.some(({ name }) => privileged.includes(name)) ? 'privileged' : 'baseline');

    for (const profile of profiles) expect(await refusalOf(profile)).toBeUndefined();
  });
});
