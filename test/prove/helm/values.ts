import { davitVersion } from '../../../core/version.ts';
import { imageName } from './image.ts';
import { storageClass } from './volume.ts';

/** A profile of davit.yaml whose agents are the reference agents of the cluster's nodes. */
export function profileOf(name: string, ciServerUrl: string): object {
  return {
    name,
    labels: [name],
    clusters: ['here'],
    namespace: 'helm-agents',
    agentPort: 8811,
    template: {
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'agent',
            image: 'davit.dev/reference-agent',
            imagePullPolicy: 'IfNotPresent',
            env: [
              { name: 'AGENT_PORT', value: '8811' },
              { name: 'CI_SERVER_URL', value: ciServerUrl },
              { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            ],
            resources: { requests: { cpu: '10m', memory: '16Mi' } },
          },
        ],
      },
    },
  };
}

/** A further cluster of davit.yaml, and its secret among the chart's values. */
export const west = {
  cluster: { name: 'west', kubeconfigSecret: 'davit-kubeconfig-west' },
  secret: { name: 'davit-kubeconfig-west', secretName: 'further-clusters', key: 'west' },
} as const;

/** davit.yaml with these profiles. */
export function configOf(...profiles: object[]): object {
  return {
    clusters: [{ name: 'here', kubeconfigSecret: 'davit-kubeconfig-here' }, west.cluster],
    ciSystems: [{ name: 'github', provider: 'github', webhookSecret: 'davit-webhook-github' }],
    profiles,
  };
}

/** The address of the Service `davit`, because the cluster has no DNS. */
export const serviceIp = '10.96.7.7';

/** An image that the nodes have. */
export function imageOf(tag: string): object {
  return { repository: imageName, tag, pullPolicy: 'Never' };
}

/** What belongs to this machine in the values of every release. */
export const machineValues = {
  image: imageOf(davitVersion),
  service: { clusterIP: serviceIp },
  publicUrl: `http://${serviceIp}`,
  persistence: { storageClass },
};

/** The values of a release with these profiles. */
export function valuesWith(...profiles: object[]): object {
  return {
    ...machineValues,
    config: configOf(...profiles),
    secrets: [west.secret],
  };
}
