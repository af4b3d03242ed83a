import { RESOURCES, type ResourceDefinition } from '../store/resources.ts';
import { OPENAPI_DOCUMENTS } from './openapi.ts';

/** The version of Kubernetes that the sandbox behaves like. */
export const GIT_VERSION = 'v1.33.6+davit-sandbox';

const AUTHORIZATION = {
  name: 'authorization.k8s.io',
  versions: [{ groupVersion: 'authorization.k8s.io/v1', version: 'v1' }],
  preferredVersion: { groupVersion: 'authorization.k8s.io/v1', version: 'v1' },
};

const OBJECT_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

const resourceEntries = (resource: ResourceDefinition): object[] => {
  const { name, singularName, kind, namespaced, shortNames, inAll, hasStatus } = resource;
  const entry = {
    name,
    singularName,
    namespaced,
    kind,
    verbs: OBJECT_VERBS,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(inAll ? { categories: ['all'] } : {}),
  };
  const status = { name: `${name}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] };
  return hasStatus ? [entry, status] : [entry];
};

const POD_SUBRESOURCES = [
  { name: 'pods/binding', singularName: '', namespaced: true, kind: 'Binding', verbs: ['create'] },
  {
    name: 'pods/eviction',
    singularName: '',
    namespaced: true,
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
    verbs: ['create'],
  },
  { name: 'pods/log', singularName: '', namespaced: true, kind: 'Pod', verbs: ['get'] },
];

const resourceList = (groupVersion: string, resources: object[]): object => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion,
  resources,
});

/** The documents by which a client finds out what there is, by their paths. */
const DOCUMENTS: Readonly<Record<string, object | string>> = {
  '/api': {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [],
  },
  '/api/v1': resourceList('v1', [...Object.values(RESOURCES).flatMap(resourceEntries), ...POD_SUBRESOURCES]),
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [AUTHORIZATION] },
  '/apis/authorization.k8s.io': { kind: 'APIGroup', apiVersion: 'v1', ...AUTHORIZATION },
  '/apis/authorization.k8s.io/v1': resourceList('authorization.k8s.io/v1', [
    {
      name: 'selfsubjectaccessreviews',
      singularName: 'selfsubjectaccessreview',
      namespaced: false,
      kind: 'SelfSubjectAccessReview',
      verbs: ['create'],
    },
  ]),
  '/version': {
    major: '1',
    minor: '33',
    gitVersion: GIT_VERSION,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '2025-11-11T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  },
  ...OPENAPI_DOCUMENTS,
  '/healthz': 'ok',
  '/livez': 'ok',
  '/readyz': 'ok',
};

const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/version', '/healthz', '/livez', '/readyz']);

/** Whether a path is answered to everybody, as the role system:public-info-viewer has it. */
export const isPublic = (path: string): boolean => PUBLIC_PATHS.has(path);

/** The document of a path; undefined if there is none. */
export const discoveryDocument = (path: string): object | string | undefined =>
  DOCUMENTS[path.endsWith('/') ? path.slice(0, -1) : path];
