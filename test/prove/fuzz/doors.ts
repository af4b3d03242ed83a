import { named } from '../../support/named.ts';
import type { ListedDoor } from './door.ts';

/** All doors of davit. Each loads its module when it is opened, because a help text needs none. */
export const doors: readonly ListedDoor[] = named<Omit<ListedDoor, 'name'>>({
  webhook: {
    description: "POST /webhooks/{name}: GitHub's own examples with changes, signed rightly, nearly, or not at all",
    share: 200,
    open: async () => (await import('./doors/webhook.ts')).webhookDoor.open(),
  },
  connect: {
    description: 'POST /agents/{agentName}/connect: JWTs with other claims, algorithms, keys, signatures, and agents',
    share: 170,
    open: async () => (await import('./doors/connect.ts')).connectDoor.open(),
  },
  launches: {
    description: 'POST, GET and DELETE /launches, /launches/{id}: bodies, queries and ids with changes',
    share: 200,
    open: async () => (await import('./doors/launches.ts')).launchesDoor.open(),
  },
  config: {
    description: "davit.yaml: the repository's own with other values, keys and lines, as YAML and as JSON",
    share: 20,
    open: async () => (await import('./doors/config.ts')).configDoor.open(),
  },
  kubeconfig: {
    description: 'openClusters, and a call where it opens: kubeconfigs with other values, tokens and lines',
    share: 40,
    open: async () => (await import('./doors/kubeconfig.ts')).kubeconfigDoor.open(),
  },
  objects: {
    description:
      'PodView, ServiceView, judgePod, hostOf, nodePortOf: objects in every phase, with other fields and values',
    share: 200,
    open: async () => (await import('./doors/objects.ts')).objectsDoor.open(),
  },
  watch: {
    description: 'observeObject: lines of events with other types, objects and ends, and no lines',
    share: 30,
    open: async () => (await import('./doors/watch.ts')).watchDoor.open(),
  },
  'API errors': {
    description:
      'toDavitError, judgeApiError: Status bodies with changes, other bodies, codes, headers, network errors',
    share: 100,
    open: async () => (await import('./doors/api-errors.ts')).apiErrorsDoor.open(),
  },
  'clean-up': {
    description: 'CleanUp: failed launches, ended executions and Causes with changes, next to another launch',
    share: 40,
    open: async () => (await import('./doors/clean-up.ts')).cleanUpDoor.open(),
  },
  gateway: {
    description:
      'the local gateway, by raw TCP: requests to all routes, framed wrongly, overwritten, or no HTTP at all',
    share: 40,
    open: async () => (await import('./doors/gateway.ts')).gatewayDoor.open(),
  },
  'API server': {
    description: "openClusters' calls, over TCP: answers with other statuses, headers, bodies, encodings, and no HTTP",
    share: 12,
    open: async () => (await import('./doors/api-server.ts')).apiServerDoor.open(),
  },
  runtime: {
    description:
      'the whole local runtime, by raw TCP: as at the gateway, with the handlers, tables and secrets as they are',
    share: 4,
    open: async () => (await import('./doors/runtime.ts')).runtimeDoor.open(),
  },
});
