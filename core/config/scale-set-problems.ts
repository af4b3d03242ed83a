import { ScaleSetConfig } from '../../ci/github/config.ts';
import * as z from '../zod.ts';
import { type ConfigProblem, found, problemIf } from './config-problem.ts';
import { list, part } from './parts.ts';
import { ProfileFields } from './profile.ts';

const { name, runner, scope, sizes } = ProfileFields.shape;

const Parts = z.object({
  ciSystems: list(
    z.object({
      provider: part(z.string()),
      events: part(z.string()),
      scaleSet: part(ScaleSetConfig),
      app: part(z.unknown()),
      tokenSecret: part(z.unknown()),
      webhookSecret: part(z.unknown()),
    }),
  ),
  profiles: list(z.object({ name: part(name), runner: part(runner), scope: part(scope), sizes: part(sizes) })),
});
type Parts = z.infer<typeof Parts>;
type CiSystemParts = Parts['ciSystems'][number];

/** Finds settings of scale sets that do not fit together, or do not fit their profiles. */
export function scaleSetProblems(raw: unknown): ConfigProblem[] {
  const parts = Parts.safeParse(raw).data;
  if (parts === undefined) return [];
  return parts.ciSystems.flatMap((system, index) =>
    system.provider !== 'github'
      ? []
      : [...ofSystem(system, hasScaleSet(raw, index)), ...ofProfile(system, parts.profiles)].map(
          ({ path, detail }) => ({ path: ['ciSystems', index, ...path], detail }),
        ),
  );
}

/** A malformed scale set is there, too. */
function hasScaleSet(raw: unknown, index: number): boolean {
  const Raw = z.object({ ciSystems: z.array(z.unknown()) });
  return z.safeParse(z.object({ scaleSet: z.unknown() }), Raw.safeParse(raw).data?.ciSystems[index]).success;
}

function ofSystem({ events, app, tokenSecret, webhookSecret }: CiSystemParts, isGiven: boolean): ConfigProblem[] {
  const isWanted = events === 'scaleSet';
  const isWithoutCredential = app === undefined && tokenSecret === undefined;
  return [
    ...problemIf(isWanted && !isGiven, ['scaleSet'], 'expected the scale set, because events is scaleSet'),
    ...problemIf(
      !isWanted && isGiven,
      ['events'],
      `expected scaleSet, because there is a scaleSet, found ${found(events)}`,
    ),
    ...problemIf(
      !isWanted && webhookSecret === undefined,
      ['webhookSecret'],
      'expected the secret of its webhooks, because events is not scaleSet',
    ),
    ...problemIf(
      isWanted && isWithoutCredential,
      ['app'],
      'expected an app, or a tokenSecret: davit makes the scale set and its runners',
    ),
  ];
}

function ofProfile({ scaleSet }: CiSystemParts, profiles: Parts['profiles']): ConfigProblem[] {
  if (scaleSet === undefined) return [];
  const of = profiles.find((profile) => profile.name === scaleSet.profile);
  const path = ['scaleSet', 'profile'];
  if (of === undefined) {
    const names = profiles.flatMap((profile) => profile.name ?? []).join(', ');
    return [{ path, detail: `expected one of ${names}, found ${found(scaleSet.profile)}` }];
  }
  const place = scaleSet.organization === undefined ? 'repository' : 'organization';
  const { runner: ofRunner, scope: ofScope = 'organization' } = of;
  const has = (value: unknown) => `${scaleSet.profile} has ${found(value)}`;
  const alike = 'the runners of a set are alike, and any of its jobs takes any of them';
  return [
    ...problemIf(ofRunner !== 'github', path, `expected a profile with runner github: ${has(ofRunner)}`),
    ...problemIf(ofScope !== place, path, `expected a profile of scope ${place}, as the set's: ${has(ofScope)}`),
    ...problemIf(of.sizes !== undefined, path, `expected a profile without sizes: ${alike}`),
  ];
}
