import type { KubeObject } from '../cluster-store.ts';
import { apiVersionOf, type ResourceDefinition } from '../store/resources.ts';
import { failure } from '../store/status-error.ts';
import { columnsOf } from './columns.ts';

/** The form in which a client wants objects: complete, as rows of a table, or only their metadata. */
export type Form = 'object' | 'table' | 'metadata';

/** How the server presents objects of one resource to one client. */
export interface Representation {
  form: Form;
  resource: ResourceDefinition;
  /** The part of the object that each row of a table includes. */
  includeObject: string;
}

const forms: Readonly<Record<string, Form>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*', '']);

function formOf(range: string): Form | undefined {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice('as='.length);
  const isKnownVersion = as === undefined || parameters.includes('v=v1');
  return jsonTypes.has(type) && isKnownVersion ? (as === undefined ? 'object' : forms[as]) : undefined;
}

/**
 * Chooses the form of the answer: the first accepted one that the server supports.
 *
 * @throws StatusError NotAcceptable (406) if it supports none of them.
 */
export function acceptedForm(accept: string | undefined): Form {
  const form = (accept ?? '')
    .split(',')
    .map(formOf)
    .find((each) => each !== undefined);
  if (form === undefined) {
    throw failure(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
  }
  return form;
}

function metadataOnly({ metadata }: KubeObject): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

function rowObject(includeObject: string, object: KubeObject): unknown {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Object':
      return object;
    default:
      return metadataOnly(object);
  }
}

/** Makes a table of objects, as kubectl prints it. `metadata` belongs to the list. @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables */
export function tableOf(
  { resource, includeObject }: Representation,
  objects: readonly KubeObject[],
  metadata: unknown,
  hasHeader = true,
): unknown {
  const { names, wide, cells } = columnsOf(resource.name);
  const now = Date.now();
  const header = names.map((name) => ({
    name,
    type: 'string',
    format: name === 'Name' ? 'name' : '',
    description: '',
    priority: wide.includes(name) ? 1 : 0,
  }));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: hasHeader ? header : [],
    rows: objects.map((object) => ({ cells: cells(object, now), object: rowObject(includeObject, object) })),
  };
}

/** Presents one object in the requested form. */
export function oneOf(representation: Representation, object: KubeObject, hasHeader = true): unknown {
  switch (representation.form) {
    case 'object':
      return object;
    case 'metadata':
      return metadataOnly(object);
    case 'table':
      return tableOf(representation, [object], { resourceVersion: object.metadata.resourceVersion }, hasHeader);
  }
}

/** Presents a list of objects in the requested form. */
export function listOf(representation: Representation, objects: readonly KubeObject[], metadata: unknown): unknown {
  switch (representation.form) {
    case 'object': {
      // As in the real server, the items of a list do not repeat their kind.
      const items = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item);
      return {
        kind: `${representation.resource.kind}List`,
        apiVersion: apiVersionOf(representation.resource),
        metadata,
        items,
      };
    }
    case 'metadata':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: objects.map(metadataOnly),
      };
    case 'table':
      return tableOf(representation, objects, metadata);
  }
}
