import type { KubeObject, ResourceName } from '../cluster-store.ts';
import { isRecord } from '../store/json-value.ts';
import { badRequest } from '../store/status-error.ts';

/** Whether an object is selected. */
export type Selector = (object: KubeObject) => boolean;

type LabelRequirement = (labels: Readonly<Record<string, string>>) => boolean;

const keyPattern = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?';
const valuePattern = '(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?';
const set = new RegExp(
  `^(${keyPattern})\\s+(in|notin)\\s*\\(\\s*(${valuePattern}(?:\\s*,\\s*${valuePattern})*)\\s*\\)$`,
);
const equality = new RegExp(`^(${keyPattern})\\s*(=|==|!=)\\s*(${valuePattern})$`);
const order = new RegExp(`^(${keyPattern})\\s*([<>])\\s*(-?\\d+)$`);
const existence = new RegExp(`^(!?)\\s*(${keyPattern})$`);

/** A comma separates requirements, except within parentheses. */
const requirementSeparator = /,(?![^(]*\))/;

function parseSet(text: string): LabelRequirement | undefined {
  const [, key = '', operator, list = ''] = set.exec(text) ?? [];
  const values = list.split(',').map((value) => value.trim());
  const isIn: LabelRequirement = (labels) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? '');
  return operator === undefined ? undefined : operator === 'in' ? isIn : (labels) => !isIn(labels);
}

function parseEquality(text: string): LabelRequirement | undefined {
  const [, key = '', operator, value = ''] = equality.exec(text) ?? [];
  return operator === undefined
    ? undefined
    : (labels) => (Object.hasOwn(labels, key) && labels[key] === value) === (operator !== '!=');
}

function parseOrder(text: string): LabelRequirement | undefined {
  const [, key = '', operator, limit = ''] = order.exec(text) ?? [];
  return operator === undefined
    ? undefined
    : (labels) => {
        const label = labels[key] ?? '';
        const isNumber = /^-?\d+$/.test(label);
        return isNumber && (operator === '<' ? Number(label) < Number(limit) : Number(label) > Number(limit));
      };
}

function parseExistence(text: string): LabelRequirement | undefined {
  const [, not, key] = existence.exec(text) ?? [];
  return key === undefined ? undefined : (labels) => Object.hasOwn(labels, key) === (not === '');
}

function parseRequirement(text: string): LabelRequirement {
  const requirement = parseSet(text) ?? parseEquality(text) ?? parseOrder(text) ?? parseExistence(text);
  if (requirement === undefined) throw badRequest(`unable to parse requirement: found '${text}'`);
  return requirement;
}

/**
 * Reads a label selector, equality-based or set-based.
 *
 * @throws StatusError BadRequest (400) for a malformed selector.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export function labelSelector(text: string): Selector {
  const requirements =
    text.trim() === '' ? [] : text.split(requirementSeparator).map((part) => parseRequirement(part.trim()));
  return (object) => requirements.every((requirement) => requirement(object.metadata.labels ?? {}));
}

const everyResource = ['metadata.name', 'metadata.namespace'];

/** The selectable fields of each resource, besides name and Namespace. */
const selectable: Readonly<Partial<Record<ResourceName, readonly string[]>>> = {
  namespaces: ['status.phase'],
  nodes: ['spec.unschedulable'],
  services: ['spec.clusterIP', 'spec.type'],
  pods: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  events: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  secrets: ['type'],
};

const booleanFields: ReadonlySet<string> = new Set(['spec.unschedulable', 'spec.hostNetwork']);

function pathOf(field: string): string[] {
  return field === 'source' ? ['source', 'component'] : field.split('.');
}

function fieldValue(object: KubeObject, field: string, path: readonly string[]): string {
  const value = path.reduce<unknown>(memberOf, object);
  if (value === undefined) return booleanFields.has(field) ? 'false' : '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/**
 * Reads a field selector.
 *
 * @throws StatusError BadRequest (400) for a malformed selector or a field that is not selectable.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export function fieldSelector(resource: ResourceName, text: string): Selector {
  const requirements = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/.exec(part) ?? [];
      if (field === undefined) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
      if (![...everyResource, ...(selectable[resource] ?? [])].includes(field)) {
        throw badRequest(`field label not supported: ${field}`);
      }
      return { field, path: pathOf(field), value, isEqual: operator !== '!=' };
    });
  return (object) =>
    requirements.every(({ field, path, value, isEqual }) => (fieldValue(object, field, path) === value) === isEqual);
}

/** Reads the selector of a list or a watch from its query. `name` limits it to one object. */
export function querySelector(resource: ResourceName, query: URLSearchParams, name?: string): Selector {
  const byLabels = labelSelector(query.get('labelSelector') ?? '');
  const byFields = fieldSelector(resource, query.get('fieldSelector') ?? '');
  return (object) => (name === undefined || object.metadata.name === name) && byLabels(object) && byFields(object);
}
