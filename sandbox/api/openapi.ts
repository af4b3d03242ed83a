import { type ResourceDefinition, resourcesByGroup } from '../store/resources.ts';

function queryParameter(name: string): object {
  return { name, in: 'query', schema: { type: 'string' } };
}

function rootOf(group: string): string {
  return group === '' ? 'api/v1' : `apis/${group}/v1`;
}

function objectPath(resource: ResourceDefinition): string {
  return `/${rootOf(resource.group)}/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.name}/{name}`;
}

function objectItem({ kind, group }: ResourceDefinition): object {
  return {
    patch: {
      parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(queryParameter),
      responses: { '200': { description: 'OK' } },
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group, kind, version: 'v1' },
    },
  };
}

/**
 * The OpenAPI documents, by path. Before kubectl sends a manifest, it checks here whether the server supports
 * `fieldValidation`. The documents have no schemas, so `kubectl explain` does not work.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
 */
export const openapiDocuments: Readonly<Record<string, object>> = {
  '/openapi/v3': {
    paths: Object.fromEntries(
      [...resourcesByGroup.keys()].map((group) => [
        rootOf(group),
        { serverRelativeURL: `/openapi/v3/${rootOf(group)}` },
      ]),
    ),
  },
  ...Object.fromEntries(
    [...resourcesByGroup].map(([group, definitions]) => [`/openapi/v3/${rootOf(group)}`, documentOf(definitions)]),
  ),
};

function documentOf(definitions: readonly ResourceDefinition[]): object {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths: Object.fromEntries(definitions.map((resource) => [objectPath(resource), objectItem(resource)])),
    components: { schemas: {} },
  };
}
