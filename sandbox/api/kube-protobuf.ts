import { badRequest } from '../store/status-error.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import {
  flag,
  integer,
  intOrString,
  listOf,
  type MessageShape,
  message,
  readMessage,
  text,
  textMap,
} from './protobuf.ts';

/** The media type of objects that kubectl builds itself, for example in `kubectl create namespace`. */
export const kubeProtobuf = 'application/vnd.kubernetes.protobuf';

const magic = Buffer.from('k8s\0');

const metadata = message('metadata', {
  1: text('name'),
  2: text('generateName'),
  3: text('namespace'),
  5: text('uid'),
  6: text('resourceVersion'),
  11: textMap('labels'),
  12: textMap('annotations'),
  14: listOf(text('finalizers')),
});

const servicePort: MessageShape = {
  1: text('name'),
  2: text('protocol'),
  3: integer('port'),
  4: intOrString('targetPort'),
  5: integer('nodePort'),
};

const serviceSpec: MessageShape = {
  1: listOf(message('ports', servicePort)),
  2: textMap('selector'),
  3: text('clusterIP'),
  4: text('type'),
  7: text('sessionAffinity'),
  10: text('externalName'),
  11: text('externalTrafficPolicy'),
  13: flag('publishNotReadyAddresses'),
};

const deleteOptions = message('deleteOptions', {
  1: integer('gracePeriodSeconds'),
  2: message('preconditions', { 1: text('uid'), 2: text('resourceVersion') }),
  4: text('propagationPolicy'),
  5: listOf(text('dryRun')),
});

const resourceAttributes: MessageShape = {
  1: text('namespace'),
  2: text('verb'),
  3: text('group'),
  4: text('version'),
  5: text('resource'),
  6: text('subresource'),
  7: text('name'),
};

const accessSpec: MessageShape = {
  1: message('resourceAttributes', resourceAttributes),
  2: message('nonResourceAttributes', { 1: text('path'), 2: text('verb') }),
};

/** The kinds of the sandbox that kubectl builds itself. It sends manifests as JSON. */
const shapes: Readonly<Record<string, MessageShape>> = {
  Namespace: { 1: metadata },
  ServiceAccount: { 1: metadata },
  Service: { 1: metadata, 2: message('spec', serviceSpec) },
  Eviction: { 1: metadata, 2: deleteOptions },
  SelfSubjectAccessReview: { 1: metadata, 2: message('spec', accessSpec) },
};

const typeShape = message('type', { 1: text('apiVersion'), 2: text('kind') });

/**
 * Reads an object in Kubernetes' protobuf encoding: an envelope with its kind and its own bytes.
 *
 * @throws StatusError BadRequest (400) if the body is not protobuf, or of a kind that the sandbox reads only as JSON.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
export function readKubeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, magic.length).equals(magic)) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const envelope = body.subarray(magic.length);
  const { type } = readMessage({ 1: typeShape }, envelope);
  const kind = isJsonObject(type) ? type['kind'] : undefined;
  const shape = typeof kind === 'string' ? shapes[kind] : undefined;
  if (shape === undefined) {
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for protobuf in this server`);
  }
  const { object } = readMessage({ 2: message('object', shape) }, envelope);
  return { ...(isJsonObject(type) ? type : {}), ...(isJsonObject(object) ? object : {}) };
}
