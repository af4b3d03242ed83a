import { RESOURCES, type ResourceDefinition } from '../store/resources.ts';

const queryParameter = (name: string): object => ({ name, in: 'query', schema: { type: 'string' } });

const objectPath = (resource: ResourceDefinition): string =>
  `/api/v1/${resource.namespaced ? 'namespaces/{namespace}/' : ''}${resource.name}/{name}`;

const objectItem = ({ kind }: ResourceDefinition): object => ({
  patch: {
    parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(queryParameter),
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group: '', kind, version: 'v1' },
  },
});

/**
 * The OpenAPI documents, by their paths: as much as kubectl looks at before it sends a manifest, which is whether the
 * server takes `fieldValidation`. Schemas are not among it, so `kubectl explain` has nothing to explain.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v3
 */
export const OPENAPI_DOCUMENTS: Readonly<Record<string, object>> = {
  '/openapi/v3': { paths: { 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' } } },
  '/openapi/v3/api/v1': {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths: Object.fromEntries(Object.values(RESOURCES).map((resource) => [objectPath(resource), objectItem(resource)])),
    components: { schemas: {} },
  },
};
