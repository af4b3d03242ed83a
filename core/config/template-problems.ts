import { createRequire } from 'node:module';
import { type ConfigProblem, found, valueAt } from './config-problem.ts';
import { unknownKey } from './unknown-key.ts';

/** One field of an API type, as the Kubernetes client describes it. */
interface Attribute {
  baseName: string;
  /** `string`, `Array<V1Container>`, `{ [key: string]: string; }`, … */
  type: string;
}

interface Model {
  getAttributeTypeMap: () => Attribute[];
}

/** The fields that are quantities. Their type is `string`, but plain numbers are quantities, too. */
const quantityFields = ['limits', 'requests', 'overhead', 'sizeLimit', 'divisor'];
const quantity = /^[+-]?(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

const listType = /^Array<(.+)>$/;
const mapType = /^\{ \[key: string\]: (.+); \}$/;
const require = createRequire(import.meta.url);

/**
 * Finds unknown fields and wrong types in a Pod template, at any depth. Uses the types of the client that sends the Pod,
 * because it drops unknown fields silently. The API server checks the rest (required fields, combinations) when it
 * creates a Pod.
 *
 * @param path the template's place in the file
 */
export function templateProblems(template: unknown, path: PropertyKey[]): ConfigProblem[] {
  return [...problemsOf(template, 'V1PodTemplateSpec', '', path), ...repeatedNames(template, path)];
}

/** A Pod's containers, init containers included, have names of their own. */
function repeatedNames(template: unknown, path: PropertyKey[]): ConfigProblem[] {
  const known = new Set<string>();
  return ['initContainers', 'containers'].flatMap((key) => {
    const containers = valueAt(template, ['spec', key]);
    if (!Array.isArray(containers)) return [];
    return containers.flatMap((container, index) => {
      const name = valueAt(container, ['name']);
      if (typeof name !== 'string' || !known.has(name)) {
        known.add(String(name));
        return [];
      }
      return unexpected('a name that no other container has', name, [...path, 'spec', key, index, 'name']);
    });
  });
}

/** Loads the client's model of a type; undefined for a scalar. The client has 900 files, and a template needs a few. */
function modelOf(type: string): Model | undefined {
  if (!/^V\d/.test(type)) return undefined;
  const module: Record<string, unknown> = require(`@kubernetes/client-node/dist/gen/models/${type}.js`);
  const model = module[type];
  return isModel(model) ? model : undefined;
}

function problemsOf(value: unknown, type: string, field: string, path: PropertyKey[]): ConfigProblem[] {
  if (value === null || value === undefined || type === 'any') return [];
  const ofList = listType.exec(type)?.[1];
  if (ofList !== undefined) return inList(value, ofList, field, path);
  const ofMap = mapType.exec(type)?.[1];
  if (ofMap !== undefined) return inMap(value, ofMap, field, path);
  const model = modelOf(type);
  return model === undefined ? ofScalar(value, type, field, path) : inModel(value, model.getAttributeTypeMap(), path);
}

function inList(value: unknown, type: string, field: string, path: PropertyKey[]): ConfigProblem[] {
  if (!Array.isArray(value)) return unexpected('a list', value, path);
  return value.flatMap((item, index) => problemsOf(item, type, field, [...path, index]));
}

function inMap(value: unknown, type: string, field: string, path: PropertyKey[]): ConfigProblem[] {
  if (!isMapping(value)) return unexpected('a mapping', value, path);
  return Object.entries(value).flatMap(([key, item]) => problemsOf(item, type, field, [...path, key]));
}

function inModel(value: unknown, attributes: Attribute[], path: PropertyKey[]): ConfigProblem[] {
  if (!isMapping(value)) return unexpected('a mapping', value, path);
  const known = attributes.map(({ baseName }) => baseName);
  return Object.entries(value).flatMap(([key, item]) => {
    const attribute = attributes.find(({ baseName }) => baseName === key);
    if (attribute === undefined) return [{ path, unknownKey: key, detail: unknownKey(key, known) }];
    return problemsOf(item, attribute.type, key, [...path, key]);
  });
}

function ofScalar(value: unknown, type: string, field: string, path: PropertyKey[]): ConfigProblem[] {
  if (type === 'string' && quantityFields.includes(field)) {
    const isQuantity = (typeof value === 'string' || typeof value === 'number') && quantity.test(String(value));
    return isQuantity ? [] : unexpected('a quantity such as 500m or 1Gi', value, path);
  }
  switch (type) {
    case 'string':
      return typeof value === 'string' ? [] : unexpected('text', value, path);
    case 'boolean':
      return typeof value === 'boolean' ? [] : unexpected('true or false', value, path);
    case 'number':
      return Number.isSafeInteger(value) ? [] : unexpected('a whole number', value, path);
    case 'IntOrString':
      return typeof value === 'string' || Number.isSafeInteger(value)
        ? []
        : unexpected('a whole number or a name', value, path);
    case 'Date':
    case 'V1MicroTime':
      return unexpected('nothing (the cluster sets it)', value, path);
    default:
      throw new RangeError(`the Kubernetes client has a type that is not known here: ${type}`);
  }
}

function unexpected(wanted: string, value: unknown, path: PropertyKey[]): ConfigProblem[] {
  return [{ path, detail: `expected ${wanted}, found ${found(value)}` }];
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isModel(value: unknown): value is Model {
  return typeof value === 'function' && 'getAttributeTypeMap' in value;
}
