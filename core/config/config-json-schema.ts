import * as z from 'zod';
import { Config } from './config.ts';

/** A node of a JSON Schema. */
export type SchemaNode = z.core.JSONSchema.JSONSchema;

/** Builds the JSON Schema of davit.yaml as a person writes it, for editors and for error messages. */
export function configJsonSchema(): SchemaNode {
  return z.toJSONSchema(Config, { io: 'input' });
}

/** Finds the schema at a path; undefined where there is none. */
export function schemaAt(root: SchemaNode, path: readonly PropertyKey[]): SchemaNode | undefined {
  return path.reduce<SchemaNode | undefined>((node, key) => {
    const next =
      typeof key === 'number' ? node?.items : (propertiesOf(node)[String(key)] ?? node?.additionalProperties);
    return typeof next === 'object' && !Array.isArray(next) ? next : undefined;
  }, root);
}

/** Lists the keys of a mapping, or of several kinds of mappings: a key has the same type in all of them. */
export function propertiesOf(node: SchemaNode | undefined): NonNullable<SchemaNode['properties']> {
  return Object.assign({}, ...(node?.oneOf ?? []).map(propertiesOf), node?.properties);
}

/** Describes what a schema expects, in a few words. */
export function expected(node: SchemaNode): string {
  if (node.enum !== undefined) return `one of ${node.enum.join(', ')}`;
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.type === 'integer') return wholeNumber(node);
  if (node.type === 'number') return `${node.minimum}..${node.maximum}`;
  if (node.type === 'string') return text(node);
  if (node.type === 'array') return list(node);
  return node.type === 'boolean' ? 'true or false' : 'a mapping';
}

function list({ minItems, maxItems }: SchemaNode): string {
  if (maxItems !== undefined) return `a list of ${minItems ?? 0}..${maxItems}`;
  return minItems === undefined ? 'a list' : `a list of at least ${minItems}`;
}

function wholeNumber({ minimum, exclusiveMinimum, maximum }: SchemaNode): string {
  const from = minimum ?? Number(exclusiveMinimum) + 1;
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${from}..${maximum}` : `a whole number from ${from}`;
}

function text({ minLength, maxLength }: SchemaNode): string {
  if (maxLength !== undefined) return `text of ${minLength ?? 0}..${maxLength} characters`;
  return minLength === undefined ? 'text' : 'text that is not empty';
}
