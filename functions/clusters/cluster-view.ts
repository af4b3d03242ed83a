import { type ClusterState, type LeftLaunch, namespaceStateOf } from '../../core/cluster/cluster-state.ts';
import { type Connected, type Connection, connectedAt } from '../../core/cluster/connection.ts';
import { isoTime } from '../../core/epoch-ms.ts';
import { labelKeys } from '../../core/launch/names.ts';
import { present } from '../../core/present.ts';
import type { ClusterSummary, ClusterView, NamespaceView } from './cluster-view-schema.ts';

/** The parts of a view. */
export interface KnownCluster {
  name: string;
  state: ClusterState | undefined;
  /** The namespaces that profiles use there. */
  namespaces: readonly string[];
  launches: ClusterSummary['launches'];
  /** Whether davit.yaml has it. */
  isConfigured: boolean;
  nowEpochMs: number;
}

/** Builds the view of a cluster for people: times in ISO 8601. */
export function clusterView(known: KnownCluster): ClusterView {
  return { ...clusterSummary(known), history: historyOf(known.state) };
}

const mostChanges = 20;

function historyOf(state: ClusterState | undefined): ClusterView['history'] {
  const ofCluster = (state?.history ?? []).map((change) => ({ change, of: {} }));
  const ofNamespaces = (state?.namespaces ?? []).flatMap(({ namespace, history }) =>
    history.map((change) => ({ change, of: { namespace } })),
  );
  return [...ofCluster, ...ofNamespaces]
    .toSorted((one, other) => other.change.atEpochMs - one.change.atEpochMs)
    .slice(0, mostChanges)
    .map(({ change: { atEpochMs, connected, reason, error }, of }) => ({
      ...of,
      connected,
      ...present({ reason, error }),
      at: isoTime(atEpochMs),
    }));
}

/** Like `clusterView`, without its history. */
export function clusterSummary(known: KnownCluster): ClusterSummary {
  const { name, state, namespaces, launches, isConfigured, nowEpochMs } = known;
  return {
    name,
    ...connectionView(state, isConfigured ? connectedAt(state, nowEpochMs) : 'unknown'),
    namespaces: namespaces.map((namespace) => {
      const ofNamespace = namespaceStateOf(state, namespace);
      return { name: namespace, ...connectionView(ofNamespace, connectedAt(ofNamespace, nowEpochMs)) };
    }),
    ...(state?.version === undefined ? {} : { version: state.version }),
    launches,
    ...(isConfigured ? {} : { removed: removedView(state?.left ?? []) }),
  };
}

function connectionView(state: Connection | undefined, connected: Connected): Omit<NamespaceView, 'name'> {
  if (state === undefined) return { connected };
  const { reason, error, failures, nextAttemptAtEpochMs, lastSuccessAtEpochMs } = state;
  return {
    connected,
    // A state without a report for a while is unknown since its last report.
    since: isoTime(connected === state.connected ? state.sinceEpochMs : state.reportedAtEpochMs),
    ...present({ reason, error }),
    ...(failures === undefined ? {} : { attempts: failures.count }),
    ...(nextAttemptAtEpochMs === undefined ? {} : { nextAttemptAt: isoTime(nextAttemptAtEpochMs) }),
    ...(lastSuccessAtEpochMs === undefined ? {} : { lastSuccessAt: isoTime(lastSuccessAtEpochMs) }),
  };
}

function removedView(left: readonly LeftLaunch[]): NonNullable<ClusterSummary['removed']> {
  const namespaces = Map.groupBy(left, ({ namespace }) => namespace);
  return {
    left: left.length,
    commands: [...namespaces].map(([namespace, launches]) => removalCommand(namespace, launches)),
  };
}

function removalCommand(namespace: string, launches: readonly LeftLaunch[]): string {
  const ids = launches.map(({ launchId }) => launchId).join(',');
  return `kubectl --namespace ${namespace} delete services,pods -l '${labelKeys.launchId} in (${ids})'`;
}
