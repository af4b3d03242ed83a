/** A Kubernetes object in a manifest. */
export interface KubernetesManifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  [field: string]: unknown;
}

/**
 * The label of every object that sets up davit, so that you can find and delete them together. The sweep looks for
 * another label, which marks the objects of launches.
 */
export const setUpLabels = { 'app.kubernetes.io/part-of': 'davit' } as const;
