import type { ApiClient } from '../../contract/api-client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { lostNodeTolerations } from '../cluster/node-objects.ts';
import type { Usage } from './usage.ts';

/** A system that launches an agent for each job, and the source of its jobs. */
export interface System extends AsyncDisposable {
  namespace: string;
  /** Queues a job, whose webhook is delivered. */
  request(job: string): Promise<void>;
  /** Queues a job, whose webhook is lost. */
  requestUnheard(job: string): Promise<void>;
  /** Kills its controller with SIGKILL. */
  kill(): Promise<void>;
  /** Starts its killed controller in the same place. Resolves when it takes requests. */
  start(): Promise<void>;
  /** Takes the source of its jobs away for a time. */
  restartSource(awayMs: number): Promise<void>;
}

/** What a system needs of the world. */
export interface SystemInput {
  cluster: Cluster;
  /** With full rights. */
  api: ApiClient;
  /** An empty directory. */
  directory: string;
  usage: Usage;
  image: string;
  recorderUrl: string;
  /** How many agents there may be at once, for a system that needs to be told. */
  mostAgents: number;
  /** Whether the agent that runs a job has died. */
  isDead: (job: string) => boolean;
}

/** What both systems ask of an agent's Pod. Kubernetes' own default waits 300 s for a lost node. */
export const agentPod = {
  spec: {
    terminationGracePeriodSeconds: 5,
    tolerations: lostNodeTolerations(10),
  },
  resources: { requests: { cpu: '10m', memory: '32Mi' } },
  env: [{ name: 'AGENT_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }],
};

/** How long both systems wait for an agent that does not connect. Their defaults are 10 min (davit) and 1 h (Buildbot). */
export const connectSeconds = 60;
