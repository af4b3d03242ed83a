import { stringify } from 'yaml';

/** A client's settings for reaching the cluster. */
export interface KubeconfigInput {
  /** The API server's URL. */
  url: string;
  /** The certificate of the authority that signed the server's certificate, in PEM. */
  caPem: string;
  /** The bearer token. */
  token: string;
  /** The Namespace for commands that do not name one. */
  namespace: string;
}

const name = 'davit-sandbox';

/** Writes the kubeconfig of the sandbox cluster. @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
export function kubeconfigText({ url, caPem, token, namespace }: KubeconfigInput): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: name, cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') } },
    ],
    users: [{ name: name, user: { token } }],
    contexts: [{ name: name, context: { cluster: name, user: name, namespace } }],
    'current-context': name,
  });
}
