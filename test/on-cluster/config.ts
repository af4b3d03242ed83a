import { Config } from '../../functions/domain/config.ts';
import { namespace } from '../cluster/credentials.ts';
import { agentImage, idleImage } from '../cluster/images/images.ts';

/** The profiles that there are, by what runs their Pods. */
export const profileNames = {
  /** The kubelet of a real node runs a container that does nothing. */
  real: 'real',
  /** kwok says that they run. */
  kwok: 'kwok',
  /** Nobody: no scheduler takes them. */
  nobody: 'nobody',
  /** The kubelet of a real node runs the reference agent. */
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

/**
 * The config of a davit on a cluster of `npm run cluster`; a job that asks for a profile's name gets it.
 *
 * @param agentEnv what the reference agent is given beside what davit gives it
 */
export function configOnCluster(agentEnv: Readonly<Record<string, string>> = {}): Config {
  const given = Object.entries(agentEnv).map(([name, value]) => ({ name, value }));
  const profiles = Object.entries(podSpecs).map(([name, { image, spec }]) => ({
    name,
    labels: [name],
    clusters: ['real'],
    namespace,
    agentPort: 8811,
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
    clusters: [{ name: 'real', kubeconfigSecret: 'davit-kubeconfig-real' }],
    ciSystems: [{ name: 'github', provider: 'github', webhookSecret: 'davit-webhook-github' }],
    profiles,
  });
}
