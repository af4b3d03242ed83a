import type { Config } from '../../functions/domain/config.ts';

/**
 * Changes the reference agents of a config, which are made for the sandbox's processes, to run in containers: they are
 * told their Pod's address and the CI server's, and their image is the one that the nodes have, as it is in no registry.
 *
 * @param ciServerUrl where the agents register when they are connected, as Pods reach it
 */
export function inContainers(config: Config, ciServerUrl: string): Config {
  const added = [
    { name: 'CI_SERVER_URL', value: ciServerUrl },
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  ];
  const profiles = config.profiles.map((profile) => {
    const { template, agentContainer } = profile;
    const containers = template.spec.containers.map((container) => {
      if (container.name !== agentContainer) return container;
      return { imagePullPolicy: 'IfNotPresent', ...container, env: [...(container.env ?? []), ...added] };
    });
    return { ...profile, template: { ...template, spec: { ...template.spec, containers } } };
  });
  return { ...config, profiles };
}
