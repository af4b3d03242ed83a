import { type ClusterReason, type ClusterState, repeatMs } from '../domain/cluster-state.ts';
import { DavitError } from '../domain/errors.ts';
import type { ClusterStates } from '../ports/cluster-states.ts';

/** A call that failed. */
export interface FailedCall {
  reason: ClusterReason;
  error: string;
  beganAtEpochMs: number;
}

/** Receives the results of calls to clusters. */
export interface ClusterReporter {
  succeeded: (cluster: string) => Promise<void>;
  failed: (cluster: string, call: FailedCall) => Promise<void>;
}

/** The dependencies of reporting. */
export interface ReporterDeps {
  clusterStates: Pick<ClusterStates, 'report'>;
  log: { warn(message: string, error: Error): void };
  nowEpochMs: () => number;
}

/** A process's memory of a cluster. */
interface Memory {
  state: ClusterState | undefined;
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

  async function report(cluster: string, make: () => Promise<ClusterState>): Promise<void> {
    const reportedAtEpochMs = nowEpochMs();
    const known = memories.get(cluster)?.state;
    memories.set(cluster, { state: known, reportedAtEpochMs, unreported: 0 });
    try {
      memories.set(cluster, { state: await make(), reportedAtEpochMs, unreported: 0 });
    } catch (error) {
      if (!(error instanceof DavitError)) throw error;
      log.warn(`the state of cluster ${cluster} was not reported`, error);
    }
  }

  return {
    succeeded: async (cluster) => {
      const memory = memories.get(cluster);
      if (memory === undefined) return;
      const isFailing = memory.state?.failures !== undefined;
      if (memory.state?.connected !== false && !isFailing) return;
      if (memory.state?.connected === false && isRecent(memory)) return;
      await report(cluster, () => clusterStates.report({ cluster, kind: 'answered', endedAtEpochMs: nowEpochMs() }));
    },
    failed: async (cluster, call) => {
      const memory = memories.get(cluster);
      if (memory?.state?.connected === false && memory.state.reason === call.reason && isRecent(memory)) {
        memory.unreported += 1;
        return;
      }
      const count = 1 + (memory?.unreported ?? 0);
      await report(cluster, () =>
        clusterStates.report({ cluster, kind: 'failed', ...call, endedAtEpochMs: nowEpochMs(), count }),
      );
    },
  };
}
