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

/** The media type in which kubectl sends what it makes itself, such as `kubectl create namespace`. */
export const KUBE_PROTOBUF = 'application/vnd.kubernetes.protobuf';

const MAGIC = Buffer.from('k8s\0');

const METADATA = message('metadata', {
  1: text('name'),
  2: text('generateName'),
  3: text('namespace'),
  5: text('uid'),
  6: text('resourceVersion'),
  11: textMap('labels'),
  12: textMap('annotations'),
  14: listOf(text('finalizers')),
});

const SERVICE_PORT: MessageShape = {
  1: text('name'),
  2: text('protocol'),
  3: integer('port'),
  4: intOrString('targetPort'),
  5: integer('nodePort'),
};

const SERVICE_SPEC: MessageShape = {
  1: listOf(message('ports', SERVICE_PORT)),
  2: textMap('selector'),
  3: text('clusterIP'),
  4: text('type'),
  7: text('sessionAffinity'),
  10: text('externalName'),
  11: text('externalTrafficPolicy'),
  13: flag('publishNotReadyAddresses'),
};

const DELETE_OPTIONS = message('deleteOptions', {
  1: integer('gracePeriodSeconds'),
  2: message('preconditions', { 1: text('uid'), 2: text('resourceVersion') }),
  4: text('propagationPolicy'),
  5: listOf(text('dryRun')),
});

const RESOURCE_ATTRIBUTES: MessageShape = {
  1: text('namespace'),
  2: text('verb'),
  3: text('group'),
  4: text('version'),
  5: text('resource'),
  6: text('subresource'),
  7: text('name'),
};

const ACCESS_SPEC: MessageShape = {
  1: message('resourceAttributes', RESOURCE_ATTRIBUTES),
  2: message('nonResourceAttributes', { 1: text('path'), 2: text('verb') }),
};

/** The kinds that kubectl makes itself, of those that the sandbox keeps; manifests come as JSON. */
const SHAPES: Readonly<Record<string, MessageShape>> = {
  Namespace: { 1: METADATA },
  ServiceAccount: { 1: METADATA },
  Service: { 1: METADATA, 2: message('spec', SERVICE_SPEC) },
  Eviction: { 1: METADATA, 2: DELETE_OPTIONS },
  SelfSubjectAccessReview: { 1: METADATA, 2: message('spec', ACCESS_SPEC) },
};

const TYPE = message('type', { 1: text('apiVersion'), 2: text('kind') });

/**
 * Reads an object in Kubernetes' protobuf encoding: an envelope with its kind and its own bytes.
 *
 * @throws StatusError BadRequest (400) if it is none, or of a kind that the sandbox reads as JSON only.
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
export const readKubeProtobuf = (body: Buffer): JsonObject => {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const envelope = body.subarray(MAGIC.length);
  const { type } = readMessage({ 1: TYPE }, envelope);
  const kind = isJsonObject(type) ? type['kind'] : undefined;
  const shape = typeof kind === 'string' ? SHAPES[kind] : undefined;
  if (shape === undefined) {
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for protobuf in this server`);
  }
  const { object } = readMessage({ 2: message('object', shape) }, envelope);
  return { ...(isJsonObject(type) ? type : {}), ...(isJsonObject(object) ? object : {}) };
};
