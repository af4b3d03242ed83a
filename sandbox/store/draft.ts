import { randomUUID } from 'node:crypto';
import { present } from '../../core/present.ts';
import type { KubeObject, ObjectMeta, ResourceName } from '../cluster-store.ts';
import { kubeTime } from './kube-time.ts';
import { ClientMetadata } from './metadata.ts';
import { generatedName } from './object-name.ts';
import { apiVersionOf, resources } from './resources.ts';
import { conflict, untypedError } from './status-error.ts';
import { decode } from './strategy.ts';

/** An object as a client sends it. The fields that only the server sets are absent, or not yet checked. */
export type KubeDraft = Omit<KubeObject, 'metadata'> & { metadata: Partial<ObjectMeta> };

/** The part of the metadata that a client can set. */
function clientsPart(metadata: ClientMetadata): Partial<ObjectMeta> {
  const { labels, annotations, ownerReferences, finalizers = [] } = metadata;
  return present({ labels, annotations, ownerReferences, finalizers: finalizers.length > 0 ? finalizers : undefined });
}

function metadataOf(resource: ResourceName, draft: KubeDraft): ClientMetadata {
  return decode(ClientMetadata, draft.metadata, resources[resource].kind, 'metadata');
}

/**
 * Makes a new object from a draft. It has a name, a uid and a creation time, but no resourceVersion yet.
 *
 * @throws StatusError BadRequest (400) if the draft has the wrong shape. 500, as from the real server, if the draft has
 * a resourceVersion.
 */
export function newObject(resource: ResourceName, draft: KubeDraft, nowEpochMs: number): KubeObject {
  const { kind, namespaced } = resources[resource];
  const apiVersion = apiVersionOf(resources[resource]);
  const metadata = metadataOf(resource, draft);
  if ((metadata.resourceVersion ?? '') !== '') {
    throw untypedError('resourceVersion should not be set on objects to be created');
  }
  const { generateName = '' } = metadata;
  return {
    ...draft,
    kind,
    apiVersion,
    metadata: {
      name: metadata.name === '' && generateName !== '' ? generatedName(generateName) : metadata.name,
      ...(generateName === '' ? {} : { generateName }),
      ...(namespaced ? { namespace: metadata.namespace ?? 'default' } : {}),
      uid: randomUUID(),
      resourceVersion: '',
      creationTimestamp: kubeTime(nowEpochMs),
      ...clientsPart(metadata),
    },
  };
}

/**
 * Makes the object that replaces `previous`, from a draft.
 *
 * @throws StatusError Conflict (409) if the draft was made from another object or an older version.
 */
export function nextObject(resource: ResourceName, draft: KubeDraft, previous: KubeObject): KubeObject {
  const { uid = '', resourceVersion = '', ...metadata } = metadataOf(resource, draft);
  const { labels: _l, annotations: _a, ownerReferences: _o, finalizers: _f, ...serversPart } = previous.metadata;
  if (uid !== '' && uid !== serversPart.uid) {
    const { name, namespace } = serversPart;
    const directory = resource === 'services' ? 'services/specs' : resource;
    const key = ['/registry', directory, ...(namespace === undefined ? [] : [namespace]), name].join('/');
    const mismatch = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${serversPart.uid}`;
    throw conflict(
      resource,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${mismatch}`,
    );
  }
  if (resourceVersion !== '' && resourceVersion !== serversPart.resourceVersion) {
    throw conflict(
      resource,
      serversPart.name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  return {
    ...draft,
    kind: previous.kind,
    apiVersion: previous.apiVersion,
    metadata: { ...serversPart, ...clientsPart(metadata) },
  };
}
