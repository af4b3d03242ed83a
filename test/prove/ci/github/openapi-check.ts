import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import * as z from 'zod';
import type { Exchange } from '../../../../local/github/start-github.ts';

const Content = z.record(z.string(), z.looseObject({ schema: z.unknown() }));
const Operation = z.looseObject({
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ $ref: z.string().optional(), content: Content.optional() })),
});
const Description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ responses: z.record(z.string(), z.looseObject({ content: Content.optional() })) }),
});

/** The GitHub products with a description: GitHub, and the supported versions of GitHub Enterprise Server. */
export type DescribedGithub = 'api.github.com' | 'ghes-3.17' | 'ghes-3.18' | 'ghes-3.19';

/** Says what is wrong with an exchange. */
export type OpenApiCheck = (exchange: Exchange) => string[];

/** Reading a description of 13 MB takes a second: the tests of a process share it, and the schemas that are compiled. */
const checks = new Map<DescribedGithub, OpenApiCheck>();

/**
 * Checks exchanges against a GitHub product's own OpenAPI description. Unknown routes, undocumented statuses and bodies
 * of another shape are errors.
 *
 * @see https://github.com/octokit/openapi
 */
export function openApiCheck(github: DescribedGithub = 'api.github.com'): OpenApiCheck {
  const check = checks.get(github) ?? createOpenApiCheck(github);
  checks.set(github, check);
  return check;
}

function createOpenApiCheck(github: DescribedGithub): OpenApiCheck {
  const file = createRequire(import.meta.url).resolve(`@octokit/openapi/generated/${github}.json`);
  const json: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const description = Description.parse(json);
  const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: true });
  // ajv-formats is CommonJS: its function is the module's default.
  addFormatsModule.default(ajv);
  ajv.addSchema({ $id: 'github', ...z.looseObject({}).parse(allowNull(description)) });
  const compiled = new Map<string, ValidateFunction>();

  function check(pointer: string, body: unknown): string[] {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `github#${pointer}` });
    compiled.set(pointer, validate);
    return validate(body) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  }

  const routes = Object.keys(description.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  }));

  return ({ method, path, requestBody, status, responseBody }) => {
    const route = routes.find(({ pattern }) => pattern.test(path))?.path;
    const verb = method.toLowerCase();
    const found = route === undefined ? undefined : description.paths[route]?.[verb];
    if (route === undefined || found === undefined) return [`GitHub has no ${method} ${path}`];
    const operation = Operation.parse(found);
    const base = `/paths/${encodePointer(route)}/${verb}`;
    const problems: string[] = [];
    if (operation.requestBody?.content['application/json'] !== undefined && status < 400) {
      problems.push(...check(`${base}/requestBody/content/application~1json/schema`, requestBody ?? {}));
    }
    const response = operation.responses[String(status)];
    if (response === undefined) {
      // Few routes list the statuses for authentication, unknown resources, rate limits and faults.
      if (![401, 403, 404, 429, 500, 502, 503].includes(status))
        problems.push(`${method} ${route} has no status ${status}`);
    } else if (response.$ref !== undefined) {
      const name = response.$ref.split('/').at(-1) ?? '';
      const hasSchema = description.components.responses[name]?.content?.['application/json'] !== undefined;
      const pointer = `/components/responses/${encodePointer(name)}/content/application~1json/schema`;
      if (hasSchema) problems.push(...check(pointer, responseBody));
    } else if (response.content?.['application/json'] !== undefined) {
      problems.push(...check(`${base}/responses/${status}/content/application~1json/schema`, responseBody));
    }
    return problems.map((problem) => `${method} ${path} ${status}: ${problem}`);
  };
}

/**
 * Translates OpenAPI 3.0's `nullable` to JSON Schema. It also applies to `enum`: GitHub means that, and answers null.
 */
function allowNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(allowNull);
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, ...schema } = Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, unknown] => [key, allowNull(inner)]),
  );
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function encodePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
