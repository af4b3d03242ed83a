/** @see https://kubernetes.io/docs/concepts/overview/working-with-objects/owners-dependents/ */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: boolean;
  blockOwnerDeletion: boolean;
}

/** A manifest in plain JSON. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    labels: Record<string, string>;
    annotations: Record<string, string>;
    ownerReferences?: OwnerReference[];
  };
  spec: object;
}
