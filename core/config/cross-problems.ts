import { allowsAllOf } from '../agent/agent-size.ts';
import { PodTemplateFragment } from '../agent/pod-template.ts';
import { CiSystemName } from '../ci/ci-system-keys.ts';
import { comparableLabel, traitsOf } from '../ci/ci-systems.ts';
import { type Deadlines, maxLaunchSeconds, totalSeconds } from '../launch/launch-state.ts';
import { labelKeys, mostRelaunches } from '../launch/names.ts';
import * as z from '../zod.ts';
import { ClusterConfig } from './config.ts';
import { type ConfigProblem, found, problemIf, repeated } from './config-problem.ts';
import { list, part } from './parts.ts';
import { ProfileFields } from './profile.ts';
import { runnerProblems } from './runner-problems.ts';
import { scaleSetProblems } from './scale-set-problems.ts';
import { sizeProblems, stepProblems } from './size-problems.ts';
import { warmProblems } from './warm-problems.ts';

/** The environment variables that davit sets for the agent. */
const reservedEnv = ['DAVIT_CONNECT_URL', 'DAVIT_AGENT_NAME', 'DAVIT_CREDENTIAL'];

// Each part is optional here: `shapeProblems` reports a malformed part, and it must not hide other problems.
const Parts = z.object({
  clusters: list(z.object({ name: part(ClusterConfig.def.in.shape.name) })),
  ciSystems: list(z.object({ name: part(CiSystemName) })),
  profiles: list(
    z.object({
      name: part(ProfileFields.shape.name),
      runner: part(ProfileFields.shape.runner),
      repositories: part(ProfileFields.shape.repositories),
      labels: part(ProfileFields.shape.labels),
      sizes: part(ProfileFields.shape.sizes),
      clusters: part(ProfileFields.shape.clusters),
      strategy: part(ProfileFields.shape.strategy),
      clusterWeights: part(ProfileFields.shape.clusterWeights),
      agentContainer: part(ProfileFields.shape.agentContainer),
      deadlines: part(ProfileFields.shape.deadlines),
      maxRelaunches: part(ProfileFields.shape.maxRelaunches),
      template: part(PodTemplateFragment),
    }),
  ),
});
type Parts = z.infer<typeof Parts>;
type ProfileParts = Parts['profiles'][number];

/** Finds parts of a config that do not fit together, although each may be valid by itself. */
export function crossProblems(raw: unknown): ConfigProblem[] {
  const parts = Parts.safeParse(raw).data;
  if (parts === undefined) return [];
  const { clusters, ciSystems, profiles } = parts;
  return [
    ...taken('clusters', clusters),
    ...taken('ciSystems', ciSystems),
    ...taken('profiles', profiles),
    ...runnerProblems(raw),
    ...scaleSetProblems(raw),
    ...warmProblems(raw),
    ...unreachable(profiles),
    ...profiles.flatMap((profile, index) =>
      [...unknownClusters(profile, parts), ...ofClusters(profile), ...ofProfile(profile)].map(({ path, detail }) => ({
        path: ['profiles', index, ...path],
        detail,
      })),
    ),
  ];
}

function taken(where: string, items: { name?: string | undefined }[]): ConfigProblem[] {
  const names = items.map(({ name }) => name);
  return names.flatMap((name, index) => {
    const isTaken = name !== undefined && names.indexOf(name) < index;
    return problemIf(isTaken, [where, index, 'name'], `expected a name that is not taken, found ${found(name)} again`);
  });
}

/** Finds profiles that get no job, because an earlier profile in the file takes every job that they would take. */
function unreachable(profiles: ProfileParts[]): ConfigProblem[] {
  return profiles.flatMap((profile, index) => {
    const earlier = profiles.slice(0, index).find((other) => takesAllOf(other, profile));
    const detail = `expected a label that profile ${earlier?.name ?? ''}, which comes first, has not: no job would get to this one`;
    return problemIf(earlier !== undefined, ['profiles', index, 'labels'], detail);
  });
}

function takesAllOf(earlier: ProfileParts, { runner, labels = [], sizes }: ProfileParts): boolean {
  if (earlier.repositories !== undefined || (earlier.runner !== undefined && earlier.runner !== runner)) return false;
  if (!allowsAllOf(earlier.sizes, sizes)) return false;
  if (runner !== undefined && traitsOf(runner).asksForAbsentLabels) return false;
  // Without a runner, jobs come from any system. Two labels that are equal to one of the systems are already a mistake.
  const written = (label: string) => comparableLabel(runner ?? 'github', label);
  const offered = new Set(earlier.labels?.map(written));
  return labels.length > 0 && labels.every((label) => offered.has(written(label)));
}

function unknownClusters(profile: ProfileParts, { clusters }: Parts): ConfigProblem[] {
  const names = clusters.map(({ name }) => name);
  if (names.includes(undefined)) return [];
  const wanted = `expected one of ${names.join(', ')}`;
  return (profile.clusters ?? []).flatMap((name, index) =>
    problemIf(!names.includes(name), ['clusters', index], `${wanted}, found ${found(name)}`),
  );
}

function ofClusters({ clusters = [], strategy, clusterWeights = {} }: ProfileParts): ConfigProblem[] {
  const weighted = Object.keys(clusterWeights);
  const wanted = `expected one of the profile's clusters: ${clusters.join(', ')}`;
  const isWithoutUse = strategy === 'ordered' && weighted.length > 0;
  return [
    ...repeated(clusters, ['clusters'], 'each cluster once'),
    ...weighted.flatMap((name) => problemIf(!clusters.includes(name), ['clusterWeights', name], wanted)),
    ...problemIf(isWithoutUse, ['clusterWeights'], 'expected no weights with strategy ordered'),
  ];
}

function ofProfile({
  runner,
  agentContainer,
  clusters = [],
  deadlines,
  maxRelaunches,
  template,
  sizes,
}: ProfileParts): ConfigProblem[] {
  return [
    ...stepProblems(sizes),
    ...sizeProblems(sizes, template, agentContainer),
    ...(template === undefined ? [] : ofTemplate(template, runner === undefined ? agentContainer : undefined)),
    ...(deadlines === undefined || maxRelaunches === undefined
      ? []
      : ofDeadlines(deadlines, maxRelaunches, Math.max(1, clusters.length))),
  ];
}

/** @param agentContainer undefined if a preset provides it */
function ofTemplate({ metadata, spec }: PodTemplateFragment, agentContainer: string | undefined): ConfigProblem[] {
  const { containers = [], initContainers = [] } = spec ?? {};
  const names = [...containers, ...initContainers].map(({ name }) => name);
  const isThere = agentContainer === undefined || names.length === 0 || names.includes(agentContainer);
  const own = [
    ...Object.keys(metadata?.labels ?? {}).map((key) => ['metadata', 'labels', key]),
    ...Object.keys(metadata?.annotations ?? {}).map((key) => ['metadata', 'annotations', key]),
  ].filter(([, , key = '']) => key.startsWith('davit.dev/') || Object.values<string>(labelKeys).includes(key));
  const env = Object.entries({ containers, initContainers }).flatMap(([place, items]) =>
    items.flatMap((container, index) =>
      (container.env ?? []).flatMap(({ name }, position) =>
        reservedEnv.includes(name) ? [['spec', place, index, 'env', position, 'name']] : [],
      ),
    ),
  );
  const wanted = `expected one of ${names.join(', ')}`;
  return [
    ...problemIf(!isThere, ['agentContainer'], `${wanted}, found ${found(agentContainer)}`),
    ...[...own, ...env].map((path) => ({ path: ['template', ...path], detail: 'davit sets this itself: take it out' })),
  ];
}

/** @param clusters the number of the profile's clusters: a launch may move to each further one */
function ofDeadlines(deadlines: Deadlines, maxRelaunches: number, clusters: number): ConfigProblem[] {
  const generations = maxRelaunches + clusters;
  const sum = totalSeconds(deadlines) * generations;
  const further = clusters > 1 ? ` and for each of ${clusters - 1} further clusters` : '';
  const detail = `expected at most ${maxLaunchSeconds} s in sum, once and for each of maxRelaunches${further}, found ${sum} s (with the defaults of what is not given)`;
  if (generations - 1 <= mostRelaunches) return problemIf(sum > maxLaunchSeconds, ['deadlines'], detail);
  const most = `at most ${mostRelaunches + 1 - clusters} with ${clusters} clusters`;
  const why = `a launch begins again at most ${mostRelaunches} times`;
  return [{ path: ['maxRelaunches'], detail: `expected ${most}, found ${maxRelaunches}: ${why}` }];
}
