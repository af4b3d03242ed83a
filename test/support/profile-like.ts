import type { Config, Profile } from '../../functions/domain/config.ts';
import type { Deadlines, Graces } from '../../functions/domain/launch-state.ts';
import { runnerOnlyKeys } from '../../functions/domain/profile.ts';

/** What a test's profile has otherwise than the repository's own. */
export interface ProfileChanges {
  deadlines?: Partial<Deadlines>;
  graces?: Partial<Graces>;
  /** Of the Pod's spec. */
  spec?: Record<string, unknown>;
  /** Of the agent's container. */
  agent?: Record<string, unknown>;
}

/** An agent's container that runs, does nothing, and ends at once when it is told to. */
export const idle = { image: 'davit.dev/idle' };

/** Adds profiles that are like the config's first one, and take no webhooks before it does. */
export function withProfiles(config: Config, added: Readonly<Record<string, ProfileChanges>>): Config {
  const [first] = config.profiles;
  if (first === undefined) throw new Error('the config has no profile');
  const profiles = Object.entries(added).map(([name, changes]) => profileLike(first, name, changes));
  return { ...config, profiles: [...config.profiles, ...profiles] };
}

/** Makes a profile of another. */
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

/** Gives a profile without a runner as a person writes it: without what only a runner's profile may say. */
export function asWritten(profile: Profile): object {
  return Object.fromEntries(Object.entries(profile).filter(([key]) => !runnerOnlyKeys.includes(key)));
}
