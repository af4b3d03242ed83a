import type { Config, Profile } from '../../core/config/config.ts';
import { runnerOnlyKeys } from '../../core/config/profile.ts';
import type { Deadlines } from '../../core/launch/launch-state.ts';
import type { Graces } from '../../core/pod/graces.ts';

/** The fields in which a test's profile differs from the repository's own. */
export interface ProfileChanges {
  deadlines?: Partial<Deadlines>;
  graces?: Partial<Graces>;
  /** Fields of the Pod's spec. */
  spec?: Record<string, unknown>;
  /** Fields of the agent's container. */
  agent?: Record<string, unknown>;
}

/** An agent's container that runs, does nothing, and ends at once on SIGTERM. */
export const idle = { image: 'davit.dev/idle' };

/** Adds copies of the config's first profile, with changes. They come after it, so that it still takes the webhooks. */
export function withProfiles(config: Config, added: Readonly<Record<string, ProfileChanges>>): Config {
  const [first] = config.profiles;
  if (first === undefined) throw new Error('the config has no profile');
  const profiles = Object.entries(added).map(([name, changes]) => profileLike(first, name, changes));
  return { ...config, profiles: [...config.profiles, ...profiles] };
}

/** Copies a profile, with changes. */
export function profileLike(profile: Profile, name: string, changes: ProfileChanges): Profile {
  const { template, agentContainer } = profile;
  const containers = template.spec.containers.map((container) =>
    container.name === agentContainer ? { ...container, ...changes.agent } : container,
  );
  return {
    ...profile,
    name,
    deadlines: { ...profile.deadlines, ...changes.deadlines },
    graces: { ...profile.graces, ...changes.graces },
    template: { ...template, spec: { ...template.spec, ...changes.spec, containers } },
  };
}

/** Makes a profile without a runner as a person writes it: without the fields that only a runner's profile may have. */
export function asWritten(profile: Profile): object {
  return Object.fromEntries(Object.entries(profile).filter(([key]) => !runnerOnlyKeys.includes(key)));
}
