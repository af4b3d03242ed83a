import { kubernetesVersion } from '../kubernetes-version.ts';
import { type ResourceDefinition, resourcesByGroup } from '../store/resources.ts';
import { openapiDocuments } from './openapi.ts';

const [major, minor] = kubernetesVersion.slice(1).split('.');

const objectVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

function apiGroup(name: string) {
  const version = { groupVersion: `${name}/v1`, version: 'v1' };
  return { name, versions: [version], preferredVersion: version };
}

const authorization = apiGroup('authorization.k8s.io');
const namedGroups = [...resourcesByGroup].filter(([name]) => name !== '');

/** The documents of the groups that have a name, except for authorization. */
const groupDocuments = Object.fromEntries(
  namedGroups.flatMap(([name, definitions]) => [
    [`/apis/${name}`, { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(name) }],
    [`/apis/${name}/v1`, resourceList(`${name}/v1`, definitions.flatMap(resourceEntries))],
  ]),
);

function resourceEntries(resource: ResourceDefinition): object[] {
  const { name, singularName, kind, namespaced, shortNames, inAll, hasStatus } = resource;
  const entry = {
    name,
    singularName,
    namespaced,
    kind,
    verbs: objectVerbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(inAll ? { categories: ['all'] } : {}),
  };
  const status = { name: `${name}/status`, singularName: '', namespaced, kind, verbs: ['get', 'patch', 'update'] };
  return hasStatus ? [entry, status] : [entry];
}

const podSubresources = [
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

function resourceList(groupVersion: string, entries: object[]): object {
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: entries };
}

/** The documents by which a client discovers the API, by path. */
const documents: Readonly<Record<string, object | string>> = {
  '/api': { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] },
  '/api/v1': resourceList('v1', [...(resourcesByGroup.get('') ?? []).flatMap(resourceEntries), ...podSubresources]),
  '/apis': {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [authorization, ...namedGroups.map(([name]) => apiGroup(name))],
  },
  '/apis/authorization.k8s.io': { kind: 'APIGroup', apiVersion: 'v1', ...authorization },
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
    major,
    minor,
    gitVersion: `${kubernetesVersion}+davit-sandbox`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '2025-11-11T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
  },
  ...groupDocuments,
  ...openapiDocuments,
  '/healthz': 'ok',
  '/livez': 'ok',
  '/readyz': 'ok',
};

const publicPaths: ReadonlySet<string> = new Set(['/version', '/healthz', '/livez', '/readyz']);

/** Whether a path needs no token. The role system:public-info-viewer grants these paths in a real cluster. */
export function isPublic(path: string): boolean {
  return publicPaths.has(path);
}

/** Returns the document at a path, or undefined if there is none. */
export function discoveryDocument(path: string): object | string | undefined {
  return documents[path.endsWith('/') ? path.slice(0, -1) : path];
}
