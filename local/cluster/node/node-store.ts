import type { ClusterStore, KubeObject, ResourceName } from '../cluster-store.ts';
import type { KubeDraft } from '../store/draft.ts';

/** The cluster's objects, as a node uses them: Events are counted and endpoints replaced, so it updates too. */
export interface NodeStore extends ClusterStore {
  /** @throws StatusError NotFound (404), Conflict (409) for another uid or an old resourceVersion, Invalid (422). */
  update(resource: ResourceName, draft: KubeDraft): KubeObject;
}
