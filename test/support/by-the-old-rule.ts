import { openClusters } from '../../functions/adapters/kubernetes/open-clusters.ts';
import { type AwaitAgentDeps, awaitAgent } from '../../functions/await-agent/await-agent.ts';
import { TerminalError } from '../../functions/domain/errors.ts';
import { PodView } from '../../functions/domain/kubernetes-objects.ts';
import { pollHostIP } from '../../functions/poll-host-ip/poll-host-ip.ts';
import type { Cluster } from '../../functions/ports/cluster.ts';
import { sleepUnlessAborted } from '../../functions/steps/sleep.ts';
import { byKubeconfig } from './by-kubeconfig.ts';
import { fixedSecrets } from './fixed-secrets.ts';
import { portWith } from './port-with.ts';
import type { TestRuntime } from './start-test-runtime.ts';

/**
 * Judges the Pod of a launch by the rule that JENKINS-68649 is about: the real PollHostIP and AwaitAgent go over
 * everything that happens to the Pod, from its creation on, with the old rule in the way.
 *
 * @param onJudged is called when the Pod's containers run and the rule has had its say
 * @returns `connected`, or what the launch fails for
 * @see https://issues.jenkins.io/browse/JENKINS-68649
 */
export async function judgeByTheOldRule(davit: TestRuntime, launchId: string, onJudged: () => void): Promise<string> {
  const { cluster, config, history, runtime } = davit;
  const plan = (await runtime.ports.launches.get(launchId))?.plan;
  if (plan === undefined) throw new Error(`${launchId} has no plan`);
  await history.until('pods', ({ metadata }) => metadata.name === plan.agentName);
  const open = openClusters(config.clusters, byKubeconfig(fixedSecrets(cluster.kubeconfig)));
  const deps: AwaitAgentDeps = {
    openCluster: async (name) => withTheOldRule(await open(name), onJudged),
    launches: runtime.ports.launches,
    sleepMs: sleepUnlessAborted,
    nowEpochMs: Date.now,
  };
  const state = { ...plan, pod: asCreated(davit, plan.agentName) };
  try {
    const placement = await pollHostIP(deps, state);
    await awaitAgent(deps, { ...state, placement, token: { publishedAtEpochMs: Date.now() } });
    return 'connected';
  } catch (error) {
    if (error instanceof TerminalError) return error.detail;
    throw error;
  }
}

/** Says whether all containers of a Pod run. */
export function containersRun({ spec, status }: PodView): boolean {
  const running = status?.containerStatuses?.filter(({ state }) => state?.running !== undefined) ?? [];
  return running.length === spec.containers.length;
}

/** A cluster in which a Pod is dead whose containers run and whose phase is not `Running`. */
function withTheOldRule(cluster: Cluster, onJudged: () => void): Cluster {
  return {
    ...cluster,
    pods: portWith(cluster.pods, {
      observe: async function* (namespace, name, options) {
        for await (const pod of cluster.pods.observe(namespace, name, options)) {
          if (pod !== undefined && containersRun(pod)) {
            onJudged();
            const phase = pod.status?.phase ?? '';
            if (phase !== 'Running') throw new TerminalError('PodFailed', `agent is not connected, status: ${phase}`);
          }
          yield pod;
        }
      },
    }),
  };
}

/** What CreatePod would say of the Pod if it had been created just now, so that all that happened since is judged. */
function asCreated({ history }: TestRuntime, podName: string) {
  const created = history.changes.find(
    ({ type, resource, object }) => type === 'ADDED' && resource === 'pods' && object.metadata.name === podName,
  );
  const { uid, resourceVersion } = PodView.parse(created?.object).metadata;
  return { uid, resourceVersion, createdAtEpochMs: Date.now(), made: { isNew: true } };
}
