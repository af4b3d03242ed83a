import { Profile } from '../../core/config/config.ts';

/** Makes a profile as the config's schema does; a test gives only the fields that it is about. */
export function makeProfile(overrides: Partial<Profile> = {}): Profile {
  return {
    ...Profile.parse({
      name: 'linux',
      labels: ['self-hosted', 'linux', 'x64', 'k8s'],
      clusters: ['sandbox'],
      namespace: 'agents',
      agentPort: 8811,
      template: { spec: { containers: [{ name: 'agent', image: 'registry.example/agent:1' }] } },
    }),
    ...overrides,
  };
}
