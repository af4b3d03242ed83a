import { RelaunchError, TransientError } from '../../../../core/errors/errors.ts';
import type { LaunchRecord } from '../../../../core/launch/launch-record.ts';
import { agentErrorsWith, withLogic, withPort, withPortIn } from './doubles.ts';
import type { Mutant } from './mutant.ts';

function withoutGenerations(record: LaunchRecord | undefined): LaunchRecord | undefined {
  if (record === undefined) return undefined;
  const { generations: _generations, ...others } = record;
  return others;
}

/** Defects of moves to another cluster. */
export const moveMutants: readonly Mutant[] = [
  {
    name: 'a launch moves without a new name, and the old agent is not fenced',
    world: { seed: 81, kinds: ['clusterUnauthorized', 'agentSlow', 'imagePullLong'] },
    breaks: '3: a launch ends',
    mutation: withLogic('relaunch', (relaunch) => (deps, input) => {
      const { agentName } = input;
      const keepsName: typeof deps.launches.relaunch = (plan, ended) =>
        deps.launches.relaunch({ ...plan, agentName }, ended);
      return relaunch({ ...deps, launches: { relaunch: keepsName } }, input);
    }),
  },
  {
    name: 'an agent is let in from the cluster that its launch has left',
    world: { seed: 30, kinds: ['clusterUnauthorized', 'agentSlow', 'imagePullLong'] },
    breaks: '4:',
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
  {
    name: 'what a launch has left in another cluster is forgotten',
    world: { seed: 2, kinds: ['clusterUnauthorized', 'agentSlow', 'deletedByPeople'] },
    breaks: '5: what',
    mutation: withPortIn(['clean-up'], 'launches', (launches) => ({
      get: async (launchId) => withoutGenerations(await launches.get(launchId)),
      end: async (...given) => withoutGenerations(await launches.end(...given)),
    })),
  },
  {
    name: 'a launch leaves its cluster at the first call that fails',
    world: { seed: 16, kinds: ['clusterUnreachable', 'agentSlow'] },
    breaks: '3: a launch moves',
    mutation: agentErrorsWith((error, input) => {
      const mayMove = input.failover !== undefined && input.failover.clusters.length > 0;
      if (!mayMove || !(error instanceof TransientError) || error.code !== 'ClusterUnreachable') return undefined;
      return new RelaunchError('ClusterAway', error.detail);
    }),
  },
  {
    name: 'a call that fails after a wait counts as failing since long before',
    world: { seed: 1, kinds: ['clusterPartition', 'agentSlow', 'imagePullLong'] },
    breaks: '3: a launch moves',
    mutation: withPort('clusterStates', (clusterStates) => ({
      report: (report) =>
        clusterStates.report(
          report.kind === 'failed' ? { ...report, beganAtEpochMs: report.beganAtEpochMs - 20_000 } : report,
        ),
    })),
  },
  {
    name: 'a launch goes back to a cluster that it has left',
    world: { seed: 1, kinds: ['clusterForbidden', 'agentSlow'] },
    breaks: '3: a launch moves',
    mutation: withLogic('relaunch', (relaunch) => async (deps, input) => {
      const plan = await relaunch(deps, input);
      const { failover } = plan;
      return failover === undefined
        ? plan
        : { ...plan, failover: { ...failover, clusters: [...failover.clusters, input.cluster] } };
    }),
  },
];
