import type { ClusterReport, ClusterState } from '../../../../core/cluster/cluster-state.ts';
import { withPort, withPortIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

function probesReporting(change: (report: ClusterReport) => ClusterReport): Mutant['mutation'] {
  return withPortIn(['probe'], 'clusterStates', (clusterStates) => ({
    report: (report) => clusterStates.report(change(report)),
  }));
}

function withoutNamespaces(state: ClusterState | undefined): ClusterState | undefined {
  if (state === undefined) return undefined;
  const { namespaces: _namespaces, ...others } = state;
  return others;
}

/** Defects of what davit knows of its connections to clusters and namespaces. */
export const connectionMutants: readonly Mutant[] = [
  {
    name: 'a failure that only a create sees is taken for one of the whole cluster',
    world: { seed: 1, kinds: ['namespaceMissing', 'agentSlow'] },
    breaks: 'clusters: only calls that failed there',
    mutation: probesReporting((report) => {
      const { cluster } = report;
      const failure = report.kind === 'works' ? report.namespaces?.find(({ kind }) => kind === 'failed') : undefined;
      return failure?.kind === 'failed' ? { ...failure, cluster } : report;
    }),
  },
  {
    name: 'a failure that only a create sees is forgotten, since the cluster answers',
    world: { seed: 1, kinds: ['admissionDown', 'agentSlow'] },
    breaks: 'clusters: where creates fail',
    mutation: withPort('clusterStates', (clusterStates) => ({
      report: async (report) => {
        const { cluster } = report;
        if (report.kind === 'namespace') {
          return clusterStates.report({ cluster, kind: 'answered', endedAtEpochMs: report.outcome.endedAtEpochMs });
        }
        if (report.kind !== 'works') return clusterStates.report(report);
        const { endedAtEpochMs, namespaces = [] } = report;
        const working = namespaces.map(({ namespace }) => ({ namespace, kind: 'works', endedAtEpochMs }) as const);
        return clusterStates.report({ ...report, namespaces: working });
      },
    })),
  },
  {
    name: 'an agent is requested for a namespace that is away in every cluster',
    world: { seed: 7, queued: 6, kinds: ['createForbidden', 'agentSlow'] },
    breaks: 'clusters: no replacement',
    mutation: withPortIn(['reconcile', 'admit'], 'clusterStates', (clusterStates) => ({
      get: async (cluster) => withoutNamespaces(await clusterStates.get(cluster)),
    })),
  },
  {
    name: 'a namespace that has proved that launches work is still away',
    world: { seed: 1, kinds: ['createForbidden', 'agentSlow'] },
    breaks: 'clusters: nothing is said to be away',
    mutation: probesReporting((report) => {
      if (report.kind !== 'works') return report;
      return { ...report, namespaces: report.namespaces?.filter(({ kind }) => kind === 'failed') ?? [] };
    }),
  },
];
