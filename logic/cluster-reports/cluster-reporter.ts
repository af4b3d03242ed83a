import { type ClusterState, namespaceStateOf } from '../../core/cluster/cluster-state.ts';
import { type ClusterReason, type Connection, repeatMs } from '../../core/cluster/connection.ts';
import { DavitError } from '../../core/errors/errors.ts';
import type { ClusterStates } from '../../ports/cluster-states.ts';

/** A call that failed. */
export interface FailedCall {
  reason: ClusterReason;
  error: string;
  beganAtEpochMs: number;
}

/** To what a failure belongs: to the whole cluster, or to one of its namespaces. */
export interface ReportedPlace {
  cluster: string;
  namespace?: string | undefined;
}

/** Receives the results of calls to clusters. */
export interface ClusterReporter {
  succeeded: (cluster: string) => Promise<void>;
  failed: (place: ReportedPlace, call: FailedCall) => Promise<void>;
}

interface ReporterDeps {
  clusterStates: Pick<ClusterStates, 'report'>;
  log: { warn(message: string, error: Error): void };
  nowEpochMs: () => number;
}

/** A process's memory of a cluster or a namespace. */
interface Memory {
  state: Connection | undefined;
  reportedAtEpochMs: number;
  /** The unreported failures since then. */
  unreported: number;
}

/**
 * Reports the results of calls, as rarely as possible. A process that knows of no trouble reports no success, so that a
 * launch on a healthy cluster costs no request. Reports a failure at once, and then at most every 10 s. A call does not
 * fail because its report does.
 */
export function createClusterReporter({ clusterStates, log, nowEpochMs }: ReporterDeps): ClusterReporter {
  const memories = new Map<string, Memory>();

  function isRecent(memory: Memory): boolean {
    return nowEpochMs() - memory.reportedAtEpochMs < repeatMs;
  }

  async function report(place: ReportedPlace, make: () => Promise<ClusterState>): Promise<void> {
    const { cluster, namespace } = place;
    const reportedAtEpochMs = nowEpochMs();
    const known = memories.get(keyOf(place))?.state;
    memories.set(keyOf(place), { state: known, reportedAtEpochMs, unreported: 0 });
    try {
      const made = await make();
      const state = namespace === undefined ? made : namespaceStateOf(made, namespace);
      memories.set(keyOf(place), { state, reportedAtEpochMs, unreported: 0 });
    } catch (error) {
      if (!(error instanceof DavitError)) throw error;
      log.warn(`the state of cluster ${cluster} was not reported`, error);
    }
  }

  return {
    succeeded: async (cluster) => {
      const memory = memories.get(keyOf({ cluster }));
      if (memory === undefined) return;
      const isFailing = memory.state?.failures !== undefined;
      if (memory.state?.connected !== false && !isFailing) return;
      if (memory.state?.connected === false && isRecent(memory)) return;
      await report({ cluster }, () =>
        clusterStates.report({ cluster, kind: 'answered', endedAtEpochMs: nowEpochMs() }),
      );
    },
    failed: async (place, call) => {
      const { cluster, namespace } = place;
      const memory = memories.get(keyOf(place));
      if (memory?.state?.connected === false && memory.state.reason === call.reason && isRecent(memory)) {
        memory.unreported += 1;
        return;
      }
      const count = 1 + (memory?.unreported ?? 0);
      await report(place, () => {
        const failure = { kind: 'failed', ...call, endedAtEpochMs: nowEpochMs(), count } as const;
        return clusterStates.report(
          namespace === undefined
            ? { cluster, ...failure }
            : { cluster, kind: 'namespace', outcome: { namespace, ...failure } },
        );
      });
    },
  };
}

function keyOf({ cluster, namespace = '' }: ReportedPlace): string {
  return `${cluster}/${namespace}`;
}
