import { Config } from '../../../core/config/config.ts';
import { namespace } from '../cluster/credentials.ts';
import { agentImage, idleImage } from '../cluster/images/images.ts';
import type { DavitStart } from './messages.ts';

/** The profiles, by what runs their Pods. */
export const profileNames = {
  /** A real node's kubelet runs a container that does nothing. */
  real: 'real',
  /** kwok reports that they run. */
  kwok: 'kwok',
  /** Nothing: no scheduler takes them. */
  nobody: 'nobody',
  /** A real node's kubelet runs the reference agent. */
  agent: 'agent',
} as const;
export type ProfileName = (typeof profileNames)[keyof typeof profileNames];

const podSpecs: Readonly<Record<ProfileName, { image: string; spec?: object }>> = {
  real: { image: idleImage },
  kwok: {
    image: idleImage,
    spec: { nodeSelector: { type: 'kwok' }, tolerations: [{ key: 'kwok.x-k8s.io/node', operator: 'Exists' }] },
  },
  nobody: { image: idleImage, spec: { schedulerName: 'nobody' } },
  agent: { image: agentImage },
};

const podIp = { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } };

/** Short, so that launches move while an API server restarts. */
const failoverSeconds = 1;

/**
 * The config of a davit on clusters of `npm run cluster`. A job's label selects the profile of that name.
 *
 * @param start.agentEnv additional variables for the reference agent
 * @param start.clusters their names in the config
 */
export function configOnCluster({
  agentEnv = {},
  clusters = ['real'],
  maxAgents,
}: Partial<Pick<DavitStart, 'agentEnv' | 'clusters' | 'maxAgents'>> = {}): Config {
  const given = Object.entries(agentEnv).map(([name, value]) => ({ name, value }));
  const profiles = Object.entries(podSpecs).map(([name, { image, spec }]) => ({
    name,
    labels: [name],
    clusters,
    failoverSeconds,
    namespace,
    agentPort: 8811,
    ...(maxAgents === undefined ? {} : { maxAgents }),
    template: {
      spec: {
        terminationGracePeriodSeconds: 1,
        ...spec,
        containers: [
          {
            name: 'agent',
            image,
            imagePullPolicy: 'Never',
            env: [podIp, { name: 'AGENT_PORT', value: '8811' }, ...given],
          },
        ],
      },
    },
  }));
  return Config.parse({
    clusters: clusters.map((name) => ({ name, kubeconfigSecret: `davit-kubeconfig-${name}` })),
    ciSystems: [{ name: 'github', provider: 'github', webhookSecret: 'davit-webhook-github' }],
    profiles,
  });
}
