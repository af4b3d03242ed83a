import type { KubeObject } from '../cluster-store.ts';
import type { ResourceDefinition } from '../store/resources.ts';
import { failure } from '../store/status-error.ts';
import { COLUMNS } from './columns.ts';

/** In which form a client wants objects: as they are, as rows of a table, or their metadata only. */
export type Form = 'object' | 'table' | 'metadata';

/** How objects of one resource are written for one client. */
export interface Representation {
  form: Form;
  resource: ResourceDefinition;
  /** Which part of the object comes with a table's row. */
  includeObject: string;
}

const FORMS: Readonly<Record<string, Form>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*', '']);

const formOf = (range: string): Form | undefined => {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice('as='.length);
  const isKnownVersion = as === undefined || parameters.includes('v=v1');
  return JSON_TYPES.has(type) && isKnownVersion ? (as === undefined ? 'object' : FORMS[as]) : undefined;
};

/**
 * Chooses the form of the answer: the first of those accepted that there is.
 *
 * @throws StatusError NotAcceptable (406).
 */
export const acceptedForm = (accept: string | undefined): Form => {
  const form = (accept ?? '')
    .split(',')
    .map(formOf)
    .find((each) => each !== undefined);
  if (form === undefined) {
    throw failure(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
  }
  return form;
};

const metadataOnly = ({ metadata }: KubeObject): unknown => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
});

const rowObject = (includeObject: string, object: KubeObject): unknown => {
  switch (includeObject) {
    case 'None':
      return null;
    case 'Object':
      return object;
    default:
      return metadataOnly(object);
  }
};

/** A table of objects, as kubectl prints it; `metadata` is the list's. @see https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables */
export const tableOf = (
  { resource, includeObject }: Representation,
  objects: readonly KubeObject[],
  metadata: unknown,
  hasHeader = true,
): unknown => {
  const { names, wide, cells } = COLUMNS[resource.name];
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
};

/** One object in the form that was asked for. */
export const oneOf = (representation: Representation, object: KubeObject, hasHeader = true): unknown => {
  switch (representation.form) {
    case 'object':
      return object;
    case 'metadata':
      return metadataOnly(object);
    case 'table':
      return tableOf(representation, [object], { resourceVersion: object.metadata.resourceVersion }, hasHeader);
  }
};

/** A list of objects in the form that was asked for. */
export const listOf = (representation: Representation, objects: readonly KubeObject[], metadata: unknown): unknown => {
  switch (representation.form) {
    case 'object': {
      // As in the real server the items of a list do not repeat what kind they are.
      const items = objects.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item);
      return { kind: `${representation.resource.kind}List`, apiVersion: 'v1', metadata, items };
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
};
