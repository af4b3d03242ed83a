import type { ClusterStore, KubeObject, ResourceName } from '../cluster-store.ts';
import type { KubeDraft } from '../store/draft.ts';

/** The store as a node uses it. A node also updates objects, for example to count Events. */
export interface NodeStore extends ClusterStore {
  /** @throws StatusError NotFound (404), Conflict (409) for another uid or an old resourceVersion, Invalid (422). */
  update(resource: ResourceName, draft: KubeDraft): KubeObject;
}
