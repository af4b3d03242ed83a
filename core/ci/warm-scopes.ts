import type { Profile } from '../config/config.ts';
import { type CiScope, scopeText } from './ci-scope.ts';
import type { CiSystemConfig } from './ci-system-config.ts';

/** Lists the organizations or repositories of a CI system in which a profile keeps warm agents. */
export function warmScopesOf(
  { warm, scope }: Pick<Profile, 'warm' | 'scope'>,
  { name }: Pick<CiSystemConfig, 'name'>,
): CiScope[] {
  if (warm === undefined || (warm.ciSystem ?? name) !== name) return [];
  if (scope === 'organization') return (warm.organizations ?? []).map((organization) => ({ organization }));
  return (warm.repositories ?? []).map((text) => {
    const [owner = '', repository = ''] = text.split('/');
    return { repository: { owner, name: repository } };
  });
}

/** Says whether a profile keeps warm agents in a scope. */
export function isWarmIn(
  profile: Pick<Profile, 'warm' | 'scope'>,
  system: Pick<CiSystemConfig, 'name'>,
  scope: CiScope,
): boolean {
  const text = scopeText(scope).toLowerCase();
  return warmScopesOf(profile, system).some((each) => scopeText(each).toLowerCase() === text);
}
