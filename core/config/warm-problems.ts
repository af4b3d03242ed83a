import { mostWarm } from '../agent/warm-agents.ts';
import { isRepositoryOf, RepositoryGlob } from '../ci/repository-glob.ts';
import * as z from '../zod.ts';
import { type ConfigProblem, found, problemIf, repeated, valueAt } from './config-problem.ts';
import { list, part } from './parts.ts';
import { ProfileFields } from './profile.ts';

const { runner, scope, maxAgents, warm } = ProfileFields.shape;
const { ciSystem, organizations, repositories, agents, schedules } = warm.def.innerType.shape;

const WarmParts = z.object({
  ciSystem: part(ciSystem),
  organizations: part(organizations),
  repositories: part(repositories),
  agents: part(agents),
  schedules: part(schedules),
});
type WarmParts = z.infer<typeof WarmParts>;

const Parts = z.object({
  ciSystems: list(
    z.object({
      name: part(z.string()),
      provider: part(z.string()),
      app: part(z.unknown()),
      tokenSecret: part(z.unknown()),
    }),
  ),
  profiles: list(
    z.object({
      runner: part(runner),
      scope: part(scope),
      maxAgents: part(maxAgents),
      repositories: part(z.array(RepositoryGlob)),
      warm: part(WarmParts),
    }),
  ),
});
type Parts = z.infer<typeof Parts>;
type ProfileParts = Parts['profiles'][number];

/** Finds warm agents that davit could not keep, because their place is missing or a limit allows fewer. */
export function warmProblems(raw: unknown): ConfigProblem[] {
  const parts = Parts.safeParse(raw).data;
  if (parts === undefined) return [];
  return parts.profiles.flatMap((profile, index) =>
    profile.warm === undefined || profile.runner === undefined
      ? []
      : [
          ...placeProblems(profile, profile.warm, valueAt(raw, ['profiles', index, 'warm'])),
          ...systemProblems(profile, profile.warm, parts.ciSystems),
          ...countProblems(profile, profile.warm),
        ].map(({ path, detail }) => ({ path: ['profiles', index, 'warm', ...path], detail })),
  );
}

/** Checks that davit.yaml names the place of warm agents: davit registers them before there is a job. */
function placeProblems(profile: ProfileParts, given: WarmParts, raw: unknown): ConfigProblem[] {
  const isGiven = (key: string) => valueAt(raw, [key]) !== undefined;
  const isShared = profile.scope !== 'repository';
  const [wanted, other] = isShared
    ? (['organizations', 'repositories'] as const)
    : (['repositories', 'organizations'] as const);
  const because = `davit registers the agents in ${isShared ? 'an organization' : 'a repository'} before there is a job`;
  const names = (given[wanted] ?? []).map((name) => name.toLowerCase());
  const instead = `expected ${wanted} instead, because scope is ${isShared ? 'organization' : 'repository'}`;
  return [
    ...problemIf(!isGiven(wanted), [wanted], `expected ${wanted}: ${because}`),
    ...problemIf(isGiven(other), [other], instead),
    ...repeated(names, [wanted], 'each name once'),
    ...(isShared ? [] : untaken(profile, given)),
  ];
}

function untaken({ repositories: globs }: ProfileParts, given: WarmParts): ConfigProblem[] {
  if (globs === undefined) return [];
  return (given.repositories ?? []).flatMap((text, index) => {
    const [owner = '', name = ''] = text.split('/');
    const detail = `expected a repository whose jobs the profile takes: ${globs.join(', ')}; found ${JSON.stringify(text)}`;
    return problemIf(!isRepositoryOf(globs, { owner, name }), ['repositories', index], detail);
  });
}

function systemProblems(
  { runner: provider }: ProfileParts,
  { ciSystem: wanted }: WarmParts,
  systems: Parts['ciSystems'],
): ConfigProblem[] {
  const able = systems.filter(
    (system) => system.provider === provider && (system.app !== undefined || system.tokenSecret !== undefined),
  );
  const names = able.map(({ name }) => name);
  if (names.length === 0 || (wanted === undefined ? names.length === 1 : names.includes(wanted))) return [];
  return [{ path: ['ciSystem'], detail: `expected one of ${names.join(', ')}, found ${found(wanted)}` }];
}

function countProblems({ maxAgents: most }: ProfileParts, given: WarmParts): ConfigProblem[] {
  const places = (given.organizations ?? given.repositories ?? []).length;
  if (most === undefined || given.agents === undefined) return [];
  const sum = places * mostWarm({ agents: given.agents, ...(given.schedules && { schedules: given.schedules }) });
  const of = places > 1 ? ` in all ${places} ${given.organizations ? 'organizations' : 'repositories'} together` : '';
  return problemIf(sum > most, [], `expected at most ${most} agents${of}, because of maxAgents; found ${sum}`);
}
