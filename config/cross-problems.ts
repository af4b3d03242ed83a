import { ClusterConfig, PodTemplate, Profile, WebhookConfig } from '../functions/domain/config.ts';
import { type Deadlines, maxLaunchSeconds, totalSeconds } from '../functions/domain/launch-state.ts';
import { labelKeys } from '../functions/domain/names.ts';
import * as z from '../functions/zod.ts';
import type { ConfigProblem } from './config-problem.ts';

/** The environment variables that davit sets for the agent. */
const reservedEnv = ['DAVIT_CONNECT_URL', 'DAVIT_AGENT_NAME', 'DAVIT_CREDENTIAL'];

// Each part is optional here: `shapeProblems` reports a malformed part, and it must not hide other problems.
const Parts = z.object({
  clusters: list(z.object({ name: part(ClusterConfig.def.in.shape.name) })),
  webhooks: list(z.object({ provider: part(WebhookConfig.shape.provider) })),
  profiles: list(
    z.object({
      name: part(Profile.shape.name),
      labels: part(Profile.shape.labels),
      clusters: part(Profile.shape.clusters),
      agentContainer: part(Profile.shape.agentContainer),
      deadlines: part(Profile.shape.deadlines),
      maxRelaunches: part(Profile.shape.maxRelaunches),
      template: part(PodTemplate),
    }),
  ),
});
type Parts = z.infer<typeof Parts>;
type ProfileParts = Parts['profiles'][number];

/** Finds parts of a config that do not fit together, although each may be valid by itself. */
export function crossProblems(raw: unknown): ConfigProblem[] {
  const parts = Parts.safeParse(raw).data;
  if (parts === undefined) return [];
  const { clusters, webhooks, profiles } = parts;
  return [
    ...taken('clusters', 'name', clusters),
    ...taken('webhooks', 'provider', webhooks),
    ...taken('profiles', 'name', profiles),
    ...unreachable(profiles),
    ...profiles.flatMap((profile, index) =>
      [...unknownClusters(profile, parts), ...ofProfile(profile)].map(({ path, detail }) => ({
        path: ['profiles', index, ...path],
        detail,
      })),
    ),
  ];
}

function taken<Field extends string>(
  where: string,
  field: Field,
  items: { [Key in Field]?: string | undefined }[],
): ConfigProblem[] {
  const names = items.map((item) => item[field]);
  return names.flatMap((name, index) => {
    const detail = `expected a ${field} that is not taken, found ${JSON.stringify(name)} again`;
    return name !== undefined && names.indexOf(name) < index ? [{ path: [where, index, field], detail }] : [];
  });
}

/** Finds profiles that get no job: an earlier profile in the file has all of their labels. */
function unreachable(profiles: ProfileParts[]): ConfigProblem[] {
  const sets = profiles.map(({ labels }) => new Set(labels?.map((label) => label.toLowerCase())));
  return sets.flatMap((labels, index) => {
    const earlier = sets
      .slice(0, index)
      .findIndex((other) => labels.size > 0 && [...labels].every((label) => other.has(label)));
    const name = profiles[earlier]?.name ?? '';
    const detail = `expected a label that profile ${name}, which comes first, has not: no job would get to this one`;
    return earlier === -1 ? [] : [{ path: ['profiles', index, 'labels'], detail }];
  });
}

function unknownClusters(profile: ProfileParts, { clusters }: Parts): ConfigProblem[] {
  const names = clusters.map(({ name }) => name);
  if (names.includes(undefined)) return [];
  return (profile.clusters ?? []).flatMap((name, index) =>
    names.includes(name)
      ? []
      : [{ path: ['clusters', index], detail: `expected one of ${names.join(', ')}, found ${JSON.stringify(name)}` }],
  );
}

function ofProfile({ agentContainer, deadlines, maxRelaunches, template }: ProfileParts): ConfigProblem[] {
  return [
    ...(template === undefined ? [] : ofTemplate(template, agentContainer)),
    ...(deadlines === undefined || maxRelaunches === undefined ? [] : ofDeadlines(deadlines, maxRelaunches)),
  ];
}

function ofTemplate({ metadata, spec }: PodTemplate, agentContainer: string | undefined): ConfigProblem[] {
  const names = spec.containers.map(({ name }) => name);
  const isThere = agentContainer === undefined || names.includes(agentContainer);
  const own = [
    ...Object.keys(metadata?.labels ?? {}).map((key) => ['metadata', 'labels', key]),
    ...Object.keys(metadata?.annotations ?? {}).map((key) => ['metadata', 'annotations', key]),
  ].filter(([, , key = '']) => key.startsWith('davit.dev/') || Object.values<string>(labelKeys).includes(key));
  const env = spec.containers.flatMap((container, index) =>
    (container.env ?? []).flatMap(({ name }, position) =>
      reservedEnv.includes(name) ? [['spec', 'containers', index, 'env', position, 'name']] : [],
    ),
  );
  return [
    ...(isThere
      ? []
      : [
          {
            path: ['agentContainer'],
            detail: `expected one of ${names.join(', ')}, found ${JSON.stringify(agentContainer)}`,
          },
        ]),
    ...[...own, ...env].map((path) => ({ path: ['template', ...path], detail: 'davit sets this itself: take it out' })),
  ];
}

function ofDeadlines(deadlines: Deadlines, maxRelaunches: number): ConfigProblem[] {
  const sum = totalSeconds(deadlines) * (1 + maxRelaunches);
  const detail = `expected at most ${maxLaunchSeconds} s in sum, once and for each of maxRelaunches, found ${sum} s (with the defaults of what is not given)`;
  return sum > maxLaunchSeconds ? [{ path: ['deadlines'], detail }] : [];
}

function part<Schema extends z.ZodMiniType>(schema: Schema) {
  return z.withFallback(z.optional(schema), undefined);
}

/** @param item a schema whose fields are all a `part`, so that an item that is no mapping counts as empty */
function list<Item extends z.ZodMiniType>(item: Item) {
  return z.withFallback(z.array(z.withFallback(item, () => item.parse({}))), []);
}
