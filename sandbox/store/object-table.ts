import type { KubeObject, ResourceName } from '../cluster-store.ts';
import type { LoggedChange } from './change-log.ts';
import { resourceNames } from './resources.ts';

/** The key of an object within its resource. It sorts as etcd's keys do. */
export function objectKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? ''}/${name}`;
}

function keyOf(object: KubeObject): string {
  return objectKey(object.metadata.namespace, object.metadata.name);
}

function byKey(one: KubeObject, other: KubeObject): number {
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

/** The present objects of every resource. Callers must not change the objects that it returns. */
export class ObjectTable {
  readonly #objects = new Map<ResourceName, Map<string, KubeObject>>(resourceNames.map((name) => [name, new Map()]));

  get(resource: ResourceName, namespace: string | undefined, name: string): KubeObject | undefined {
    return this.#of(resource).get(objectKey(namespace, name));
  }

  set(resource: ResourceName, object: KubeObject): void {
    this.#of(resource).set(keyOf(object), object);
  }

  remove(resource: ResourceName, object: KubeObject): void {
    this.#of(resource).delete(keyOf(object));
  }

  /** Lists the objects in the order of their keys. @param isWanted leaves objects out. @default none */
  list(
    resource: ResourceName,
    namespace?: string,
    isWanted: (object: KubeObject) => boolean = () => true,
  ): KubeObject[] {
    return [...this.#of(resource).values()]
      .filter((object) => (namespace === undefined || object.metadata.namespace === namespace) && isWanted(object))
      .sort(byKey);
  }

  /** Lists the objects as they were before `changes`, the latest changes, oldest first. */
  listBefore(resource: ResourceName, changes: readonly LoggedChange[]): KubeObject[] {
    const objects = new Map(this.#of(resource));
    for (const change of changes.filter((each) => each.resource === resource).toReversed()) {
      if (change.previous === undefined) {
        objects.delete(keyOf(change.object));
      } else {
        objects.set(keyOf(change.previous), change.previous);
      }
    }
    return [...objects.values()].sort(byKey);
  }

  #of(resource: ResourceName): Map<string, KubeObject> {
    const objects = this.#objects.get(resource);
    if (objects === undefined) throw new TypeError(`the sandbox keeps no ${resource}`);
    return objects;
  }
}
