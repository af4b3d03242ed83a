import type { Config } from '../../core/config/config.ts';

/**
 * Changes the reference agents of a config to run in containers instead of the sandbox's processes. They get the
 * addresses of their Pod and of the CI server. No registry has their image, so they use the nodes' local copy.
 *
 * @param ciServerUrl where the agents register after they connect, as Pods reach it
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
