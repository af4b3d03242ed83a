import { openClusters } from '../../adapters/kubernetes/open-clusters.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { PodView } from '../../core/pod/kubernetes-objects.ts';
import { type AwaitAgentDeps, awaitAgent } from '../../functions/await-agent/await-agent.ts';
import { pollHostIP } from '../../functions/poll-host-ip/poll-host-ip.ts';
import { openStore } from '../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../local/store/sqlite-cluster-states.ts';
import { sleepUnlessAborted } from '../../logic/steps/sleep.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { byKubeconfig } from './by-kubeconfig.ts';
import { fixedSecrets } from './fixed-secrets.ts';
import { portWith } from './port-with.ts';
import type { TestRuntime } from './start-test-runtime.ts';

/**
 * Judges a launch's Pod by the rule that JENKINS-68649 reports. The real PollHostIP and AwaitAgent see every state of
 * the Pod since its creation, and the old rule judges it first.
 *
 * @param onJudged called after the rule has judged a Pod whose containers all run
 * @returns `connected`, or the detail of the launch's failure
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
    clusterStates: sqliteClusterStates(openStore(':memory:')),
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

/** Whether all containers of a Pod run. */
export function containersRun({ spec, status }: PodView): boolean {
  const running = status?.containerStatuses?.filter(({ state }) => state?.running !== undefined) ?? [];
  return running.length === spec.containers.length;
}

/** A cluster that fails a Pod when its containers run but its phase is not `Running`. */
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

/** The Pod as CreatePod returned it, so that the steps judge every later change. */
function asCreated({ history }: TestRuntime, podName: string) {
  const created = history.changes.find(
    ({ type, resource, object }) => type === 'ADDED' && resource === 'pods' && object.metadata.name === podName,
  );
  const { uid, resourceVersion } = PodView.parse(created?.object).metadata;
  return { uid, resourceVersion, createdAtEpochMs: Date.now(), made: { isNew: true } };
}
