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

/** davit.yaml with these profiles. */
export function configOf(...profiles: object[]): object {
  return {
    clusters: [{ name: 'here', kubeconfigSecret: 'davit-kubeconfig-here' }],
    ciSystems: [{ name: 'github', provider: 'github', webhookSecret: 'davit-webhook-github' }],
    profiles,
  };
}
