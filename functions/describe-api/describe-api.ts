import { davitVersion } from '../../core/version.ts';
import { routes } from '../../runtime/function-settings.ts';
import type { OperationObject } from './operation.ts';
import { operations } from './operations.ts';
import { describedSchemas, type SchemaNode } from './schemas.ts';

interface OpenApiDocument {
  openapi: '3.1.1';
  info: { title: string; version: string; summary: string; license: { name: string; identifier: string } };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, SchemaNode>; securitySchemes: Record<string, object> };
}

const tags = [
  { name: 'launches', description: 'For CI servers that call directly, and for people.' },
  { name: 'jobs', description: 'For people.' },
  { name: 'clusters', description: 'For people.' },
  { name: 'webhooks', description: 'For CI systems with a queue.' },
  { name: 'agents', description: 'For agents.' },
  { name: 'description', description: 'For programs and their authors.' },
];

const securitySchemes = {
  awsSigV4: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'On AWS: Signature Version 4 of service `execute-api`, by an identity that may invoke the route.',
  },
  localToken: { type: 'http', scheme: 'bearer', description: 'Locally: the token of this run.' },
  agentCredential: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: '`DAVIT_CREDENTIAL` of the agent.',
  },
  githubSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: "GitHub's HMAC of the body.",
  },
  giteaSignature: { type: 'apiKey', in: 'header', name: 'X-Gitea-Signature', description: "Gitea's HMAC of the body." },
  standardSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description: 'As Standard Webhooks says, with `webhook-id` and `webhook-timestamp`.',
  },
};

/**
 * Describes the HTTP API: its routes, and the schemas with which davit parses requests and types answers.
 *
 * @param isClosed whether to forbid other fields in answers; for tests. @default allowed: a later version adds some
 * @see https://spec.openapis.org/oas/v3.1.1.html
 */
export function describeApi(isClosed = false): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const { method, path } of routes) {
    const operation = operations[`${method} ${path}`];
    if (operation === undefined) throw new TypeError(`${method} ${path} is not described`);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'davit',
      version: davitVersion,
      summary: 'Launches CI build agents into Kubernetes.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The API that answers with this description.' }],
    tags,
    paths,
    components: { schemas: describedSchemas(isClosed), securitySchemes },
  };
}
