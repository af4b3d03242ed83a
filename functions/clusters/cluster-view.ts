import { type ClusterState, connectedAt, type LeftLaunch } from '../domain/cluster-state.ts';
import { isoTime } from '../domain/epoch-ms.ts';
import { labelKeys } from '../domain/names.ts';
import type { ClusterSummary, ClusterView } from './cluster-view-schema.ts';

/** The parts of a view. */
export interface KnownCluster {
  name: string;
  state: ClusterState | undefined;
  launches: ClusterSummary['launches'];
  /** Whether davit.yaml has it. */
  isConfigured: boolean;
  nowEpochMs: number;
}

/** Builds the view of a cluster for people: times in ISO 8601. */
export function clusterView(known: KnownCluster): ClusterView {
  const { history = [] } = known.state ?? {};
  return {
    ...clusterSummary(known),
    history: history.map(({ atEpochMs, connected, reason, error }) => ({
      connected,
      ...(reason === undefined ? {} : { reason }),
      ...(error === undefined ? {} : { error }),
      at: isoTime(atEpochMs),
    })),
  };
}

/** Like `clusterView`, without its history. */
export function clusterSummary({ name, state, launches, isConfigured, nowEpochMs }: KnownCluster): ClusterSummary {
  const connected = isConfigured ? connectedAt(state, nowEpochMs) : 'unknown';
  const removed = isConfigured ? {} : { removed: removedView(state?.left ?? []) };
  if (state === undefined) return { name, connected, launches, ...removed };
  const { reason, error, failures, nextAttemptAtEpochMs, lastSuccessAtEpochMs, version } = state;
  return {
    name,
    connected,
    // A state without a report for a while is unknown since its last report.
    since: isoTime(connected === state.connected ? state.sinceEpochMs : state.reportedAtEpochMs),
    ...(reason === undefined ? {} : { reason }),
    ...(error === undefined ? {} : { error }),
    ...(failures === undefined ? {} : { attempts: failures.count }),
    ...(nextAttemptAtEpochMs === undefined ? {} : { nextAttemptAt: isoTime(nextAttemptAtEpochMs) }),
    ...(lastSuccessAtEpochMs === undefined ? {} : { lastSuccessAt: isoTime(lastSuccessAtEpochMs) }),
    ...(version === undefined ? {} : { version }),
    launches,
    ...removed,
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
