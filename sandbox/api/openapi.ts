import { type ResourceDefinition, resources } from '../store/resources.ts';

function queryParameter(name: string): object {
  return { name, in: 'query', schema: { type: 'string' } };
}

function objectPath(resource: ResourceDefinition): string {
  return `/api/v1/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.name}/{name}`;
}

function objectItem({ kind }: ResourceDefinition): object {
  return {
    patch: {
      parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(queryParameter),
      responses: { '200': { description: 'OK' } },
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: '', kind, version: 'v1' },
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
  '/openapi/v3': { paths: { 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' } } },
  '/openapi/v3/api/v1': {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths: Object.fromEntries(Object.values(resources).map((resource) => [objectPath(resource), objectItem(resource)])),
    components: { schemas: {} },
  },
};
