import { stringify } from 'yaml';

/** What a client needs to reach the cluster. */
export interface KubeconfigInput {
  /** The API server's URL. */
  url: string;
  /** The certificate, in PEM, of the authority that the server's own is signed by. */
  caPem: string;
  /** The bearer token. */
  token: string;
  /** The Namespace of commands that name none. */
  namespace: string;
}

const NAME = 'davit-sandbox';

/**
 * Writes the kubeconfig of the sandbox cluster.
 *
 * @see https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/
 */
export const kubeconfigText = ({ url, caPem, token, namespace }: KubeconfigInput): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: NAME,
        cluster: { server: url, 'certificate-authority-data': Buffer.from(caPem).toString('base64') },
      },
    ],
    users: [{ name: NAME, user: { token } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace } }],
    'current-context': NAME,
  });
