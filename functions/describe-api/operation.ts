import { type ProblemSlug, problems, problemTypeBase } from '../../runtime/http/problems.ts';
import { ref, type SchemaName, type SchemaNode } from './schemas.ts';

/** A header of an answer. */
export interface HeaderObject {
  description: string;
  schema: SchemaNode;
}

/** The answer of an operation with one status. */
interface ResponseObject {
  description: string;
  headers?: Record<string, HeaderObject>;
  content?: Record<string, { schema: SchemaNode }>;
}

/** A parameter of an operation, in its path, query or headers. */
export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: SchemaNode;
  explode?: boolean;
  style?: 'form';
}

/** One operation of the API, as OpenAPI has it. */
export interface OperationObject {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: ParameterObject[];
  requestBody?: { required: boolean; content: Record<string, { schema: SchemaNode }> };
  responses: Record<string, ResponseObject>;
}

const retryAfter: HeaderObject = {
  description: 'In how many seconds to ask again.',
  schema: { type: 'integer', minimum: 1 },
};

/** An answer of JSON. */
export function json(
  description: string,
  schema: SchemaName | SchemaNode,
  headers?: Record<string, HeaderObject>,
): ResponseObject {
  const body = typeof schema === 'string' ? ref(schema) : schema;
  return {
    description,
    ...(headers === undefined ? {} : { headers }),
    content: { 'application/json': { schema: body } },
  };
}

/** The answers that every function may give. */
const everywhere: readonly ProblemSlug[] = ['body-too-large', 'unexpected', 'unavailable'];

/**
 * Describes the problems that an operation may answer, and the answers of API Gateway itself.
 *
 * @param slugs the operation's own problems
 */
export function problemResponses(...slugs: ProblemSlug[]): Record<string, ResponseObject> {
  const byStatus = Map.groupBy([...slugs, ...everywhere], (slug) => problems[slug].status);
  const described = [...byStatus].map(([status, kinds]) => [status, problemResponse(kinds)] as const);
  const gateway = json('An answer of the API gateway itself.', 'GatewayMessage');
  return { ...Object.fromEntries(described), default: gateway };
}

function problemResponse(slugs: readonly ProblemSlug[]): ResponseObject {
  const types = slugs.map((slug) => `${problemTypeBase}${slug}`);
  const schema: SchemaNode = { allOf: [ref('Problem'), { properties: { type: { enum: types } } }] };
  const isTemporary = slugs.some((slug) => problems[slug].status === 503);
  return {
    description: slugs.map((slug) => `${problems[slug].title}. ${problems[slug].advice}`).join('\n\n'),
    ...(isTemporary ? { headers: { 'Retry-After': retryAfter } } : {}),
    content: { 'application/problem+json': { schema }, 'application/json': { schema: ref('GatewayMessage') } },
  };
}
