import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeServerCertificate } from '../../../sandbox/api/certificates.ts';
import { kubeconfigText } from '../../../sandbox/kubeconfig.ts';
import { apiServiceIp, kubeconfigOf } from './control-plane.ts';
import { apiServerOf, type ClusterPlan, directoryOf, kubeconfigPathOf, nodesOf } from './plan.ts';

interface User {
  kubeconfigPath: string;
  name: string;
  group?: string;
}

/** The namespace that a new cluster has, and that its kubeconfig names. */
export const namespace = 'davit-agents';

/** Writes the keys, certificates and tokens of a new cluster, and a kubeconfig for each of its users. */
export async function writeCredentials(plan: ClusterPlan): Promise<void> {
  const directory = join(directoryOf(plan), 'credentials');
  await mkdir(directory, { mode: 0o700 });
  const write = (name: string, text: string) => writeFile(join(directory, name), text, { mode: 0o600 });
  const { keyPem, certificatePem } = await makeServerCertificate([nodesOf(plan)[0].ip, apiServiceIp]);
  await write('server.pem', certificatePem);
  await write('server-key.pem', keyPem);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await write('service-accounts-key.pem', privateKey.export({ type: 'sec1', format: 'pem' }).toString());
  await write('service-accounts.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString());

  const lines: string[] = [];
  for (const { kubeconfigPath, name, group } of usersOf(plan)) {
    const token = randomBytes(24).toString('base64url');
    lines.push([token, name, name, ...(group === undefined ? [] : [`"${group}"`])].join(','));
    const kubeconfig = kubeconfigText({ url: apiServerOf(plan), caPem: certificatePem, token, namespace });
    await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  }
  await write('tokens.csv', `${lines.join('\n')}\n`);
}

/** Each component gets the identity that Kubernetes' own roles expect, so that those roles limit it. */
function usersOf(plan: ClusterPlan): User[] {
  const component = (name: string, user = `system:${name}`, group?: string): User => ({
    kubeconfigPath: kubeconfigOf(plan, name),
    name: user,
    ...(group === undefined ? {} : { group }),
  });
  return [
    { kubeconfigPath: kubeconfigPathOf(plan), name: 'admin', group: 'system:masters' },
    component('kube-controller-manager'),
    component('kube-scheduler'),
    component('kube-proxy'),
    component('kwok', 'kwok', 'system:masters'),
    ...nodesOf(plan).map(({ name }) => component(name, `system:node:${name}`, 'system:nodes')),
  ];
}
