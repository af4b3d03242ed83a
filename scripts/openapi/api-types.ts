import { describeApi } from '../../functions/describe-api/describe-api.ts';
import type { OperationObject, ParameterObject, ResponseObject } from '../../functions/describe-api/operation.ts';
import type { SchemaNode } from '../../functions/describe-api/schemas.ts';

/**
 * Writes the types of the HTTP API for openapi-fetch, in the form of openapi-typescript. That program needs the
 * JavaScript API of TypeScript 5. davit uses TypeScript 7, which has none.
 */
export function apiTypes(): string {
  const { paths, components } = describeApi();
  const schemas = Object.entries(components.schemas).map(([name, schema]) => field(name, typeOf(schema)));
  const routes = Object.entries(paths).map(([path, verbs]) => {
    const operations = Object.entries(verbs).map(([verb, operation]) => field(verb, operationType(operation)));
    return field(path, block(operations));
  });
  return [
    '// `npm run docs` writes this file from the description of the HTTP API.',
    `export interface components ${block([field('schemas', block(schemas))])}`,
    `export interface paths ${block(routes)}`,
    '',
  ].join('\n\n');
}

function operationType({ parameters = [], requestBody, responses }: OperationObject): string {
  const inPlaces = (['path', 'query', 'header'] as const).flatMap((place) => {
    const there = parameters.filter((parameter) => parameter.in === place);
    return there.length === 0 ? [] : [field(place, block(there.map(parameterField)), there.some(isRequired))];
  });
  return block([
    ...(inPlaces.length === 0 ? [] : [field('parameters', block(inPlaces))]),
    ...(requestBody === undefined ? [] : [field('requestBody', block([contentField(requestBody.content)]))]),
    field('responses', block(Object.entries(responses).map(([status, one]) => field(status, responseType(one))))),
  ]);
}

function isRequired({ required }: ParameterObject): boolean {
  return required === true;
}

function parameterField(parameter: ParameterObject): string {
  return field(parameter.name, typeOf(parameter.schema), isRequired(parameter));
}

function responseType({ content }: ResponseObject): string {
  return content === undefined ? block([field('content', 'never', false)]) : block([contentField(content)]);
}

function contentField(content: Record<string, { schema: SchemaNode }>): string {
  return field('content', block(Object.entries(content).map(([type, { schema }]) => field(type, typeOf(schema)))));
}

function typeOf(node: SchemaNode): string {
  if (node.$ref !== undefined) return `components['schemas']['${node.$ref.split('/').at(-1)}']`;
  const { anyOf, oneOf, allOf } = node;
  const either = anyOf ?? oneOf;
  if (either !== undefined) return [...new Set(either.map((each) => `(${typeOf(each)})`))].join(' | ');
  if (allOf !== undefined && node.type === undefined) return allOf.map((each) => `(${typeOf(each)})`).join(' & ');
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return node.enum.map((each) => JSON.stringify(each)).join(' | ');
  if (node.type === 'integer' || node.type === 'number') return 'number';
  if (node.type === 'string' || node.type === 'boolean') return node.type;
  if (node.type === 'array') return `(${isNode(node.items) ? typeOf(node.items) : 'unknown'})[]`;
  return node.properties === undefined ? recordType(node) : objectType(node);
}

function recordType({ additionalProperties }: SchemaNode): string {
  return `Record<string, ${isNode(additionalProperties) ? typeOf(additionalProperties) : 'unknown'}>`;
}

function objectType({ properties = {}, required = [] }: SchemaNode): string {
  const fields = Object.entries(properties).flatMap(([name, each]) =>
    isNode(each) ? [field(name, typeOf(each), required.includes(name))] : [],
  );
  return block(fields);
}

function isNode(value: unknown): value is SchemaNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

function field(name: string, type: string, isThere = true): string {
  return `${/^[A-Za-z]\w*$|^\d+$/.test(name) ? name : `'${name}'`}${isThere ? '' : '?'}: ${type};`;
}

function block(fields: readonly string[]): string {
  return `{\n${fields.join('\n').replaceAll(/^/gm, '  ')}\n}`;
}
