import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';

/**
 * Writes a self-contained copy of a kubeconfig's current context, with the content of the files that it names and the
 * present token of its program. A secret needs this form, because a Lambda has neither the files nor the program.
 *
 * @throws Error of an unreadable file, or of the program
 */
export async function selfContainedKubeconfig(kubeConfig: KubeConfig): Promise<string> {
  const options: RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(options);
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const name = 'davit';
  const cluster = {
    server: kubeConfig.getCurrentCluster()?.server,
    'certificate-authority-data': base64Of(ca),
    'tls-server-name': servername,
    'insecure-skip-tls-verify': rejectUnauthorized === false ? true : undefined,
  };
  const user = { token: tokenOf(options), 'client-certificate-data': base64Of(cert), 'client-key-data': base64Of(key) };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}

/** Says whether a kubeconfig's credentials are outside of it, and may change. */
export function hasChangingCredentials(kubeConfig: KubeConfig): boolean {
  const { exec, authProvider } = kubeConfig.getCurrentUser() ?? {};
  return exec !== undefined || authProvider !== undefined;
}

function base64Of(pem: RequestOptions['ca'] | RequestOptions['key']): string | undefined {
  return typeof pem === 'string' || Buffer.isBuffer(pem) ? Buffer.from(pem).toString('base64') : undefined;
}

function tokenOf({ headers }: RequestOptions): string | undefined {
  const authorization = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  return /^Bearer (.+)$/s.exec(String(authorization ?? ''))?.[1];
}
