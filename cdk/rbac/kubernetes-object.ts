/** An object of Kubernetes as a manifest has it. */
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
 * The label on everything that is set up for davit, so that it can be found and taken away together. It is not the
 * label of what davit launches, which the sweep goes by.
 */
export const setUpLabels = { 'app.kubernetes.io/part-of': 'davit' } as const;
