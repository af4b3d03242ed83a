import { traitsOf } from '../ci/ci-systems.ts';
import * as z from '../zod.ts';
import { type ConfigProblem, found, problemIf, valueAt } from './config-problem.ts';
import { list, part } from './parts.ts';
import { ProfileFields, runnerOnlyKeys } from './profile.ts';

const { runner, scope, labels } = ProfileFields.shape;

const Parts = z.object({
  ciSystems: list(z.object({ provider: part(z.string()), app: part(z.unknown()), tokenSecret: part(z.unknown()) })),
  profiles: list(
    z.object({
      runner: part(runner),
      scope: part(scope),
      labels: part(labels),
      runnerGroup: part(z.unknown()),
      repositories: part(z.unknown()),
    }),
  ),
});
type Parts = z.infer<typeof Parts>;
type CiSystemParts = Parts['ciSystems'][number];
type ProfileParts = Parts['profiles'][number];

/** Finds conflicting settings of CI systems, and of profiles whose agents davit registers there. */
export function runnerProblems(raw: unknown): ConfigProblem[] {
  const parts = Parts.safeParse(raw).data;
  if (parts === undefined) return [];
  const { ciSystems, profiles } = parts;
  return [
    ...ciSystems.flatMap((system, index) => credentialProblems(system, ['ciSystems', index])),
    ...profiles.flatMap((profile, index) => {
      const path = ['profiles', index];
      return valueAt(raw, [...path, 'runner']) === undefined
        ? withoutRunner(valueAt(raw, path), path)
        : [...withRunner(profile, ciSystems, path), ...ofSystem(profile, valueAt(raw, path), path)];
    }),
  ];
}

function credentialProblems({ app, tokenSecret }: CiSystemParts, path: PropertyKey[]): ConfigProblem[] {
  const isTwice = app !== undefined && tokenSecret !== undefined;
  return problemIf(isTwice, path, 'expected either app or tokenSecret, and not both');
}

function withoutRunner(profile: unknown, path: PropertyKey[]): ConfigProblem[] {
  return runnerOnlyKeys
    .filter((key) => valueAt(profile, [key]) !== undefined)
    .map((key) => ({
      path: [...path, key],
      detail: `expected runner beside it: without, davit registers no agents; found ${found(valueAt(profile, [key]))}`,
    }));
}

/** Finds what a profile says and the CI system of its runner cannot do. */
function ofSystem(
  { runner: provider, labels: given = [] }: ProfileParts,
  raw: unknown,
  path: PropertyKey[],
): ConfigProblem[] {
  if (provider === undefined) return [];
  const { profileKeysWithoutUse = {}, labelPattern = /^/ } = traitsOf(provider);
  const wanted = `expected a label of ${provider}, without spaces, quotes and operators`;
  return [
    ...Object.entries(profileKeysWithoutUse)
      .filter(([key]) => ![undefined, false].includes(valueAt(raw, [key]) as undefined | false))
      .map(([key, why]) => ({ path: [...path, key], detail: `expected none with runner ${provider}: ${why}` })),
    ...given.flatMap((label, index) =>
      problemIf(!labelPattern.test(label), [...path, 'labels', index], `${wanted}, found ${found(label)}`),
    ),
  ];
}

function withRunner(profile: ProfileParts, ciSystems: readonly CiSystemParts[], path: PropertyKey[]): ConfigProblem[] {
  const { runner: provider, scope: registeredIn, runnerGroup, repositories } = profile;
  const isShared = registeredIn !== 'repository';
  const hasGroup = runnerGroup !== undefined;
  const isWithoutUse = (key: string) =>
    provider !== undefined && key in (traitsOf(provider).profileKeysWithoutUse ?? {});
  const canAct = ciSystems.some(
    (system) => system.provider === provider && (system.app !== undefined || system.tokenSecret !== undefined),
  );
  return [
    ...problemIf(
      provider !== undefined && !canAct,
      [...path, 'runner'],
      `expected a CI system of provider ${provider} with an app or a tokenSecret, found none`,
    ),
    ...problemIf(
      hasGroup && provider !== undefined && provider !== 'github',
      [...path, 'runnerGroup'],
      `expected none: only GitHub has groups of runners, and runner is ${provider}`,
    ),
    ...problemIf(
      hasGroup && !isShared,
      [...path, 'runnerGroup'],
      'expected none: a runner of scope repository is in no group',
    ),
    ...problemIf(
      repositories !== undefined && isShared && !hasGroup && !isWithoutUse('repositories'),
      [...path, 'repositories'],
      'expected scope: repository or a runnerGroup beside it: a job of any repository can take a runner that is registered for the whole organization',
    ),
  ];
}
