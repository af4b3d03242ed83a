import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { useServiceAccount } from '../../../../local/runtime/use-service-account.ts';
import { newFolder } from '../../../support/new-folder.ts';

let root: string;
let account: string;
beforeEach(async () => {
  root = newFolder();
  account = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(account, { recursive: true });
  await writeFile(join(account, 'ca.crt'), 'the authority');
  await writeFile(join(account, 'token'), 'first');
  process.env['KUBERNETES_SERVICE_HOST'] = 'fd00::1';
  process.env['KUBERNETES_SERVICE_PORT'] = '443';
});
afterEach(async () => {
  delete process.env['KUBERNETES_SERVICE_HOST'];
  delete process.env['KUBERNETES_SERVICE_PORT'];
});

function tokenIn(kubeconfig: string): string | undefined {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  return config.getCurrentUser()?.token;
}

test("a Pod's account becomes a kubeconfig, and a token that Kubernetes has replaced is read again", async () => {
  const cluster = await useServiceAccount(root, root);
  await writeFile(join(account, 'token'), 'second');
  const renewed = await cluster.renewKubeconfig?.();

  const config = new KubeConfig();
  config.loadFromString(cluster.kubeconfig);
  expect(config.getCurrentCluster()).toMatchObject({
    server: 'https://[fd00::1]:443',
    caData: Buffer.from('the authority').toString('base64'),
    skipTLSVerify: false,
  });
  expect([tokenIn(cluster.kubeconfig), tokenIn(renewed ?? '')]).toEqual(['first', 'second']);
  expect(await readFile(cluster.kubeconfigPath, 'utf8')).toBe(renewed);
  expect((await stat(cluster.kubeconfigPath)).mode & 0o777).toBe(0o600);
});

test('a Pod without a token is told what to set', async () => {
  await rm(join(account, 'token'));

  await expect(useServiceAccount(root, root)).rejects.toThrow(
    '--in-cluster: the Pod has no token of its ServiceAccount',
  );
});

test('outside of a Pod, the missing variable is named', async () => {
  delete process.env['KUBERNETES_SERVICE_HOST'];

  await expect(useServiceAccount(root, root)).rejects.toThrow('--in-cluster: KUBERNETES_SERVICE_HOST is not set');
});
