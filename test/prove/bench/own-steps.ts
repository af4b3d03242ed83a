import { randomUUID } from 'node:crypto';
import { createJoseIssuer } from '../../../adapters/jose/jose-credentials.ts';
import { openClusters } from '../../../adapters/kubernetes/open-clusters.ts';
import type { Config, Profile } from '../../../core/config/config.ts';
import { PendingError, TransientError } from '../../../core/errors/errors.ts';
import { newRecord, planLaunch } from '../../../core/launch/plan-launch.ts';
import { createPod } from '../../../functions/create-pod/create-pod.ts';
import { createService } from '../../../functions/create-service/create-service.ts';
import { pollHostIP } from '../../../functions/poll-host-ip/poll-host-ip.ts';
import { pollNodePort } from '../../../functions/poll-node-port/poll-node-port.ts';
import { publish } from '../../../functions/publish-token/publish.ts';
import { openStore } from '../../../local/store/open-store.ts';
import { sqliteClusterStates } from '../../../local/store/sqlite-cluster-states.ts';
import { sqliteTokens } from '../../../local/store/sqlite-tokens.ts';
import { byKubeconfig } from '../../support/by-kubeconfig.ts';
import { fixedSigning } from '../../support/fixed-secrets.ts';
import { MemoryLaunches } from '../../support/memory-launches.ts';

/** davit's own share of a launch: its steps, without the AWS stand-ins. */
export interface OwnSteps {
  /** Runs a launch's steps one after another, up to its published token. */
  launch(profile: Profile, launchId: string): Promise<void>;
  /** Deletes the launch's objects in the cluster. */
  remove(launchId: string): Promise<void>;
}

/** Makes the steps over davit's own Kubernetes adapter, with tables in memory and no state machine. */
export function makeOwnSteps(config: Config, kubeconfig: string): OwnSteps {
  const read = async () => kubeconfig;
  const openCluster = openClusters(config.clusters, byKubeconfig({ read, refresh: read }));
  const deps = {
    openCluster,
    launches: new MemoryLaunches(),
    clusterStates: sqliteClusterStates(openStore(':memory:')),
    tokens: sqliteTokens(openStore(':memory:')),
    credentials: createJoseIssuer({ keys: fixedSigning(randomUUID()), nowEpochMs: Date.now }),
    newCredentialId: randomUUID,
    profiles: config.profiles,
    publicUrl: 'http://127.0.0.1',
    nowEpochMs: Date.now,
  };
  const made = new Map<string, { namespace: string; cluster: string; name: string; uid: string }>();
  return {
    launch: async (profile, launchId) => {
      const plan = { ...planLaunch(profile, { launchId }, Date.now()), expose: 'nodePort' as const };
      await deps.launches.request(newRecord(plan));
      const service = await retried(() => createService(deps, plan));
      made.set(launchId, { namespace: plan.namespace, cluster: plan.cluster, name: plan.agentName, uid: service.uid });
      const nodePort = await retried(() => pollNodePort(deps, { ...plan, service }));
      const pod = await retried(() => createPod(deps, { ...plan, service, nodePort }));
      const placement = await retried(() => pollHostIP(deps, { ...plan, pod: { ...pod, made: pod } }));
      await publish(deps, { ...plan, nodePort, pod, placement });
    },
    remove: async (launchId) => {
      const object = made.get(launchId);
      if (object === undefined) return;
      const { services } = await openCluster(object.cluster);
      await services.delete(object.namespace, object.name, object.uid);
    },
  };
}

const mostAttempts = 10;

/** Retries as the state machine does, without pauses: a busy cluster may answer late. */
async function retried<Output>(step: () => Promise<Output>, attempt = 1): Promise<Output> {
  try {
    return await step();
  } catch (error) {
    const mayPass = error instanceof TransientError || error instanceof PendingError;
    if (!mayPass || attempt === mostAttempts) throw error;
    return retried(step, attempt + 1);
  }
}
