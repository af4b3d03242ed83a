import * as z from 'zod';
import { agentNameOf } from '../../../../core/launch/names.ts';
import { type ApiClient, openApi } from '../../../contract/api-client.ts';
import { newName, openKubeconfig } from '../../../contract/cluster-objects.ts';
import { recordFailedAttempts } from '../../../support/expect-one-agent.ts';
import { apply } from '../apply.ts';
import { createAccount, createDavitAccount } from '../davit-account.ts';
import { startAdmissionWebhook } from '../outcomes/admission-webhook.ts';
import { makeWebhook } from '../outcomes/policed-namespaces.ts';
import { startDavit } from '../start-davit.ts';
import { openTestCluster } from '../test-cluster.ts';
import { until } from '../until.ts';

const cluster = await openTestCluster();
const namespace = 'davit-fairness';
const timeoutMs = 60_000;
const Schema = z.object({ metadata: z.object({ uid: z.string() }) });
const flowcontrol = 'flowcontrol.apiserver.k8s.io/v1';

const admin = openApi(cluster.kubeconfig);
const { kubeconfig } = await createDavitAccount(cluster, admin, namespace);
const davit = await openKubeconfig(kubeconfig);
const whole = await startDavit(cluster, { kubeconfig, profiles: { confined: { profile: { namespace } } } });
afterAll(async () => {
  await letIn();
  await whole[Symbol.asyncDispose]();
  admin[Symbol.dispose]();
});

test("davit waits while the API server's fairness rejects its calls, and launches once they are admitted", async () => {
  const asked = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  const slow = () => {
    asked.resolve();
    return allowed.promise;
  };
  await using webhook = await startAdmissionWebhook(cluster.hostIp, { '/slow': slow });
  await makeWebhook(admin, namespace, 'configmaps', webhook.clientConfigOf('/slow'));
  for (const manifest of oneSeat) await apply(admin, manifest);
  // Fairness never rejects administrators.
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'list'] }];
  using sitter = openApi(await createAccount(cluster, admin, sitterAccount, rules));
  await until('the sitter is of the level that has one seat', timeoutMs, () => isInForce(sitter));
  const sits = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'sits' } };
  const sitting = until('the seat was taken', timeoutMs, async () => {
    const { status } = await sitter.send(configMaps, { method: 'POST', body: sits });
    return status === 201;
  });
  await asked.promise;
  const refusal = await davit.pods.get(namespace, newName()).catch((error: unknown) => error);
  const attempts = recordFailedAttempts(whole.runtime);
  const launchId = await whole.launches.request({ profile: 'confined', jobId: 'turned away' });
  await until('the launch is turned away', timeoutMs, async () => attempts.has(launchId));
  const meanwhile = await whole.left(launchId);
  allowed.resolve();

  const { token } = await whole.ci.registrationOf(agentNameOf(launchId), AbortSignal.timeout(90_000));

  expect(refusal).toMatchObject({ name: 'TransientError', code: 'ClusterThrottled' });
  expect(attempts.get(launchId)).toContain('ClusterThrottled');
  expect(meanwhile).toEqual([]);
  expect(token.launchId).toBe(launchId);
  await sitting;
  await whole.launches.end(launchId);
  await whole.launches.until(launchId, 'terminated');
});

const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] };
const sitterAccount = { name: 'sitter', namespace };
const oneSeated = [{ name: 'davit', namespace: 'davit-system' }, sitterAccount].map((serviceAccount) => ({
  kind: 'ServiceAccount',
  serviceAccount,
}));
const allotsNothing = { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, lendablePercent: 0 };

/**
 * A priority level with a nominal share of zero: it admits one request at a time and has no queue. davit and the sitter
 * belong to it.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
const oneSeat = [
  {
    apiVersion: flowcontrol,
    kind: 'PriorityLevelConfiguration',
    metadata: { name: 'one-seat' },
    spec: { type: 'Limited', limited: { ...allotsNothing, limitResponse: { type: 'Reject' } } },
  },
  {
    apiVersion: flowcontrol,
    kind: 'FlowSchema',
    metadata: { name: 'one-seat' },
    spec: {
      matchingPrecedence: 2,
      priorityLevelConfiguration: { name: 'one-seat' },
      rules: [{ subjects: oneSeated, resourceRules: [everything] }],
    },
  },
];

/** The API server applies a new schema a moment later; each answer names the level that handled it. */
async function isInForce(sitter: ApiClient): Promise<boolean> {
  const { headers } = await sitter.send(configMaps);
  const { body } = await admin.send(`/apis/${flowcontrol}/flowschemas/one-seat`);
  return headers['x-kubernetes-pf-flowschema-uid'] === Schema.parse(body).metadata.uid;
}

async function letIn(): Promise<void> {
  const made = [
    `${flowcontrol}/flowschemas/one-seat`,
    `${flowcontrol}/prioritylevelconfigurations/one-seat`,
    `admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${namespace}`,
  ];
  for (const path of made) await admin.send(`/apis/${path}`, { method: 'DELETE' });
}
