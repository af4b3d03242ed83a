import type { KubeObject, ResourceName } from '../cluster-store.ts';
import { badRequest } from '../store/status-error.ts';

/** Whether an object is one of those that were asked for. */
export type Selector = (object: KubeObject) => boolean;

type LabelRequirement = (labels: Readonly<Record<string, string>>) => boolean;

const KEY = '[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?';
const VALUE = '(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?';
const SET = new RegExp(`^(${KEY})\\s+(in|notin)\\s*\\(\\s*(${VALUE}(?:\\s*,\\s*${VALUE})*)\\s*\\)$`);
const EQUALITY = new RegExp(`^(${KEY})\\s*(=|==|!=)\\s*(${VALUE})$`);
const ORDER = new RegExp(`^(${KEY})\\s*([<>])\\s*(-?\\d+)$`);
const EXISTENCE = new RegExp(`^(!?)\\s*(${KEY})$`);

/** Commas part requirements, but for those within parentheses. */
const REQUIREMENT_SEPARATOR = /,(?![^(]*\))/;

const parseSet = (text: string): LabelRequirement | undefined => {
  const [, key = '', operator, list = ''] = SET.exec(text) ?? [];
  const values = list.split(',').map((value) => value.trim());
  const isIn: LabelRequirement = (labels) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? '');
  return operator === undefined ? undefined : operator === 'in' ? isIn : (labels) => !isIn(labels);
};

const parseEquality = (text: string): LabelRequirement | undefined => {
  const [, key = '', operator, value = ''] = EQUALITY.exec(text) ?? [];
  return operator === undefined
    ? undefined
    : (labels) => (Object.hasOwn(labels, key) && labels[key] === value) === (operator !== '!=');
};

const parseOrder = (text: string): LabelRequirement | undefined => {
  const [, key = '', operator, limit = ''] = ORDER.exec(text) ?? [];
  return operator === undefined
    ? undefined
    : (labels) => {
        const label = labels[key] ?? '';
        const isNumber = /^-?\d+$/.test(label);
        return isNumber && (operator === '<' ? Number(label) < Number(limit) : Number(label) > Number(limit));
      };
};

const parseExistence = (text: string): LabelRequirement | undefined => {
  const [, not, key] = EXISTENCE.exec(text) ?? [];
  return key === undefined ? undefined : (labels) => Object.hasOwn(labels, key) === (not === '');
};

const parseRequirement = (text: string): LabelRequirement => {
  const requirement = parseSet(text) ?? parseEquality(text) ?? parseOrder(text) ?? parseExistence(text);
  if (requirement === undefined) {
    throw badRequest(`unable to parse requirement: found '${text}'`);
  }
  return requirement;
};

/**
 * Reads a label selector, equality-based and set-based.
 *
 * @throws StatusError BadRequest (400).
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export const labelSelector = (text: string): Selector => {
  const requirements =
    text.trim() === '' ? [] : text.split(REQUIREMENT_SEPARATOR).map((part) => parseRequirement(part.trim()));
  return (object) => requirements.every((requirement) => requirement(object.metadata.labels ?? {}));
};

const EVERY_RESOURCE = ['metadata.name', 'metadata.namespace'];

/** The fields that can be selected by, besides name and Namespace; no resource has others. */
const SELECTABLE: Readonly<Record<ResourceName, readonly string[]>> = {
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
  endpoints: [],
  serviceaccounts: [],
};

const BOOLEAN_FIELDS: ReadonlySet<string> = new Set(['spec.unschedulable', 'spec.hostNetwork']);

const fieldValue = (object: KubeObject, field: string): string => {
  const path = field === 'source' ? ['source', 'component'] : field.split('.');
  const value = path.reduce<unknown>(
    (part, key) =>
      typeof part === 'object' && part !== null ? new Map<string, unknown>(Object.entries(part)).get(key) : undefined,
    object,
  );
  if (value === undefined) {
    return BOOLEAN_FIELDS.has(field) ? 'false' : '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/**
 * Reads a field selector.
 *
 * @throws StatusError BadRequest (400) also for a field that the resource cannot be selected by.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export const fieldSelector = (resource: ResourceName, text: string): Selector => {
  const requirements = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [, field, operator, value] = /^(.*?)(!=|==|=)(.*)$/.exec(part) ?? [];
      if (field === undefined) {
        throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
      }
      if (![...EVERY_RESOURCE, ...SELECTABLE[resource]].includes(field)) {
        throw badRequest(`field label not supported: ${field}`);
      }
      return { field, value, isEqual: operator !== '!=' };
    });
  return (object) =>
    requirements.every(({ field, value, isEqual }) => (fieldValue(object, field) === value) === isEqual);
};

/** The selector of a list or a watch, from its query; `name` narrows it to one object. */
export const querySelector = (resource: ResourceName, query: URLSearchParams, name?: string): Selector => {
  const byLabels = labelSelector(query.get('labelSelector') ?? '');
  const byFields = fieldSelector(resource, query.get('fieldSelector') ?? '');
  return (object) => (name === undefined || object.metadata.name === name) && byLabels(object) && byFields(object);
};
