import type { ClusterReport, ClusterState } from '../../../../core/cluster/cluster-state.ts';
import { RelaunchError, TransientError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import type { Mutation } from '../../../../simulation/world/world.ts';
import { agentErrorsWith, withLogic, withPort, withPortIn } from './doubles.ts';
import type { Mutants } from './mutant.ts';

function probesReporting(change: (report: ClusterReport) => ClusterReport): Mutation {
  return withPortIn(['probe'], 'clusterStates', (clusterStates) => ({
    report: (report) => clusterStates.report(change(report)),
  }));
}

function withoutNamespaces(state: ClusterState | undefined): ClusterState | undefined {
  if (state === undefined) return undefined;
  const { namespaces: _namespaces, ...others } = state;
  return others;
}

function withoutGenerations(record: LaunchRecord | undefined): LaunchRecord | undefined {
  if (record === undefined) return undefined;
  const { generations: _generations, ...others } = record;
  return others;
}

/** Defects of what davit knows of its connections to clusters and namespaces, and of moves to another cluster. */
export const connectionMutants: Mutants = {
  'a failure that only a create sees is taken for one of the whole cluster': {
    world: { seed: 1, kinds: ['namespaceMissing', 'agentSlow'], breaks: 'clusters: only calls that failed there' },
    mutation: probesReporting((report) => {
      const { cluster } = report;
      const failure = report.kind === 'works' ? report.namespaces?.find(({ kind }) => kind === 'failed') : undefined;
      return failure?.kind === 'failed' ? { ...failure, cluster } : report;
    }),
  },
  'a failure that only a create sees is forgotten, since the cluster answers': {
    world: { seed: 1, kinds: ['admissionDown', 'agentSlow'], breaks: 'clusters: where creates fail' },
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
  'an agent is requested for a namespace that is away in every cluster': {
    world: { seed: 7, queued: 6, kinds: ['createForbidden', 'agentSlow'], breaks: 'clusters: no replacement' },
    mutation: withPortIn(['reconcile', 'admit'], 'clusterStates', (clusterStates) => ({
      get: async (cluster) => withoutNamespaces(await clusterStates.get(cluster)),
    })),
  },
  'a namespace that has proved that launches work is still away': {
    world: { seed: 1, kinds: ['createForbidden', 'agentSlow'], breaks: 'clusters: nothing is said to be away' },
    mutation: probesReporting((report) => {
      if (report.kind !== 'works') return report;
      return { ...report, namespaces: report.namespaces?.filter(({ kind }) => kind === 'failed') ?? [] };
    }),
  },
  'a launch moves without a new name, and the old agent is not fenced': {
    world: { seed: 81, kinds: ['clusterUnauthorized', 'agentSlow', 'imagePullLong'], breaks: '3: a launch ends' },
    mutation: withLogic('relaunch', (relaunch) => (deps, input) => {
      const { agentName } = input;
      const keepsName: typeof deps.launches.relaunch = (plan, ended) =>
        deps.launches.relaunch({ ...plan, agentName }, ended);
      return relaunch({ ...deps, launches: { relaunch: keepsName } }, input);
    }),
  },
  'an agent is let in from the cluster that its launch has left': {
    world: { seed: 30, kinds: ['clusterUnauthorized', 'agentSlow', 'imagePullLong'], breaks: '4:' },
    mutation: withLogic('answerConnect', (answerConnect) => (deps, request) => {
      const { agentName = '' } = request.parameters;
      const get: typeof deps.launches.get = async (launchId) => {
        const record = await deps.launches.get(launchId);
        return record?.plan === undefined ? record : { ...record, plan: { ...record.plan, agentName } };
      };
      const markConnected: typeof deps.launches.markConnected = async ({ launchId }, atEpochMs) => {
        const present = (await deps.launches.get(launchId))?.plan?.agentName ?? agentName;
        return deps.launches.markConnected({ launchId, agentName: present }, atEpochMs);
      };
      return answerConnect({ ...deps, launches: { get, markConnected } }, request);
    }),
  },
  'what a launch has left in another cluster is forgotten': {
    world: { seed: 2, kinds: ['clusterUnauthorized', 'agentSlow', 'deletedByPeople'], breaks: '5: what' },
    mutation: withPortIn(['clean-up'], 'launches', (launches) => ({
      get: async (launchId) => withoutGenerations(await launches.get(launchId)),
      end: async (...given) => withoutGenerations(await launches.end(...given)),
    })),
  },
  'a launch leaves its cluster at the first call that fails': {
    world: { seed: 16, kinds: ['clusterUnreachable', 'agentSlow'], breaks: '3: a launch moves' },
    mutation: agentErrorsWith((error, input) => {
      const mayMove = input.failover !== undefined && input.failover.clusters.length > 0;
      if (!mayMove || !(error instanceof TransientError) || error.code !== 'ClusterUnreachable') return undefined;
      return new RelaunchError('ClusterAway', error.detail);
    }),
  },
  'a call that fails after a wait counts as failing since long before': {
    world: { seed: 1, kinds: ['clusterPartition', 'agentSlow', 'imagePullLong'], breaks: '3: a launch moves' },
    mutation: withPort('clusterStates', (clusterStates) => ({
      report: (report) =>
        clusterStates.report(
          report.kind === 'failed' ? { ...report, beganAtEpochMs: report.beganAtEpochMs - 20_000 } : report,
        ),
    })),
  },
  'a launch goes back to a cluster that it has left': {
    world: { seed: 1, kinds: ['clusterForbidden', 'agentSlow'], breaks: '3: a launch moves' },
    mutation: withLogic('relaunch', (relaunch) => async (deps, input) => {
      const plan = await relaunch(deps, input);
      const { failover } = plan;
      return failover === undefined
        ? plan
        : { ...plan, failover: { ...failover, clusters: [...failover.clusters, input.cluster] } };
    }),
  },
};
