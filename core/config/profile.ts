import { sizeLabelPrefix } from '../agent/agent-size.ts';
import { Egress, internet } from '../agent/egress.ts';
import { DnsLabel, PodTemplate, PodTemplateFragment } from '../agent/pod-template.ts';
import { withPreset } from '../agent/runner-preset.ts';
import { Sizes } from '../agent/sizes.ts';
import { WarmAgents } from '../agent/warm-agents.ts';
import { RunnerProvider } from '../ci/ci-system-config.ts';
import { RepositoryGlob } from '../ci/repository-glob.ts';
import { longestLabel, mostLabels } from '../job/job-labels.ts';
import { Deadlines, Expose, HostAddress, maxLaunchSeconds, PricePerHour } from '../launch/launch-state.ts';
import { mostRelaunches } from '../launch/names.ts';
import { MaxAgents } from '../limits/agent-limit.ts';
import { defaultGraces, Graces } from '../pod/graces.ts';
import { longestAgentLifetimeSeconds, longestHoldSeconds } from '../retention.ts';
import * as z from '../zod.ts';

/** The default deadlines of a profile, in seconds. Placement leaves an autoscaler time to add a node. */
export const defaultDeadlines: Deadlines = {
  serviceSeconds: 600,
  nodePortSeconds: 60,
  podSeconds: 600,
  placementSeconds: 900,
  publishSeconds: 60,
  connectSeconds: 600,
  quotaSeconds: 600,
  nodePortRangeSeconds: 600,
};

const seconds = z.int().check(z.positive(), z.lte(longestAgentLifetimeSeconds));

const moveSeconds = z.int().check(z.positive(), z.lte(maxLaunchSeconds));

/** Where a profile's runners are registered. */
export const RunnerScope = z.enum(['organization', 'repository']);
export type RunnerScope = z.infer<typeof RunnerScope>;

/** How a profile's launches are distributed over its clusters. */
export const ClusterStrategy = z.enum(['spread', 'ordered']);

/** The keys of a profile that need `runner`. */
const runnerFields = {
  runner: z.described(
    z.exactOptional(RunnerProvider),
    'davit registers the agent at a CI system of this kind when it connects, and runs its runner',
  ),
  scope: z.described(
    z.withDefault(RunnerScope, 'organization'),
    "Where davit registers the runners: for the job's organization, or its repository alone",
  ),
  runnerGroup: z.described(
    z.exactOptional(z.string().check(z.minLength(1), z.maxLength(100))),
    "The group of an organization's runners in GitHub. Default: its default group",
  ),
  repositories: z.described(
    z.exactOptional(z.array(RepositoryGlob).check(z.minLength(1))),
    'The repositories whose jobs the profile takes, such as acme/*. Default: all',
  ),
  idleSeconds: z.described(
    z.withDefault(seconds, 300),
    'How long a connected agent may run no job before davit retires it',
  ),
  warm: z.described(z.exactOptional(WarmAgents), 'Idle agents that davit keeps, so that jobs need not wait'),
  rerunWhenLost: z.described(
    z.withDefault(z.boolean(), false),
    'Whether davit asks the CI system to run a job again, once, if infrastructure took its agent',
  ),
  tellAfterSeconds: z.described(
    z.exactOptional(seconds),
    'How long a job may be queued before davit says why on its commit, as a status that is pending. Says it at once if a ' +
      'launch fails. Default: it does not',
  ),
};
const { runner: _runner, ...runnerOnlyFields } = runnerFields;

/** The keys that are allowed only in a profile with `runner`. */
export const runnerOnlyKeys: readonly string[] = Object.keys(runnerOnlyFields);

const notASize = z.refine<string>((label) => !label.toLowerCase().startsWith(sizeLabelPrefix), {
  error: `expected no label that begins with ${sizeLabelPrefix}: jobs ask for sizes by those, see sizes`,
});

/** Kubernetes reserves the names with this prefix. There, agents would be beside the cluster's own Pods and secrets. */
const notOfKubernetes = z.refine<string>((namespace) => !namespace.startsWith('kube-'), {
  error: "expected a namespace that is not Kubernetes' own",
});

/** A profile as a person writes it. */
export const ProfileFields = z
  .strictObject({
    name: z.described(DnsLabel, "The profile's name in launches and messages, and in a label of its Pods"),
    labels: z.array(z.string().check(z.minLength(1), z.maxLength(longestLabel), notASize)).check(
      z.minLength(1),
      // A job has up to four labels more, for its size.
      z.maxLength(mostLabels - 4),
      z.describe("The profile takes a job if this list has all of the job's labels, beside those of `sizes`"),
    ),
    sizes: z.described(
      z.exactOptional(Sizes),
      "The sizes that a job may ask for by labels such as davit/cpu=4, and their maxima. The agent's container gets them as requests and limits. Default: none",
    ),
    clusters: z
      .array(DnsLabel)
      .check(
        z.minLength(1),
        z.describe('A launch goes to one of these clusters that is connected, as `strategy` says'),
      ),
    strategy: z.described(
      z.withDefault(ClusterStrategy, 'spread'),
      'spread: launches are spread over the connected clusters, by their weights. ordered: a launch goes to the first cluster of the list that is connected',
    ),
    clusterWeights: z.described(
      z.exactOptional(z.record(DnsLabel, z.int().check(z.gte(1), z.lte(100)))),
      "The clusters' shares of the launches, if `strategy` is spread. Default: 1 each",
    ),
    failoverSeconds: z.described(
      z.withDefault(moveSeconds, 60),
      'With several clusters: how long a cluster may be away before its launches without a connected agent move to another one',
    ),
    spillSeconds: z.described(
      z.withDefault(moveSeconds, 300),
      'With several clusters: how long a launch waits for room, because a quota is full or its Pod fits on no node, before it moves to another one',
    ),
    namespace: DnsLabel.check(notOfKubernetes, z.describe('The namespace of the Pods. It must exist')),
    egress: z.described(
      z.withDefault(Egress, [internet]),
      'The networks that the agents may connect to, beside DNS: internet, which is every address that is not private, and networks such as 10.20.0.0/16. `davit rbac` makes a NetworkPolicy of them',
    ),
    ...runnerFields,
    expose: z.described(
      z.exactOptional(Expose),
      'nodePort: clients reach the agent at its node, through a NodePort Service. none: the agent has no Service, and dials out. Default: nodePort, or none with a runner',
    ),
    hostAddress: z.described(
      z.withDefault(HostAddress, 'hostIP'),
      "The node's address at which clients reach a NodePort agent. hostIP, hostIPv4, hostIPv6: from the Pod's status. " +
        'nodeInternalIP, nodeExternalIP: from the Node, which davit then needs permission to get',
    ),
    agentContainer: z.described(
      z.withDefault(DnsLabel, 'agent'),
      'The name of the container in the template that connects: it may be an init container',
    ),
    agentPort: z.described(
      z.exactOptional(z.int().check(z.gte(1), z.lte(65_535))),
      'The port that the agent listens on. Required, except for a runner that dials out',
    ),
    tls: z.described(z.withDefault(z.boolean(), false), "Whether the agent's port speaks TLS"),
    deadlines: z.described(
      z.pipe(
        z.prefault(z.strictObject(z.partial(Deadlines).shape), {}),
        z.transform((given) => Deadlines.parse({ ...defaultDeadlines, ...given })),
      ),
      `The longest that each wait may take, in seconds. Their sum, once, for each relaunch and for each further cluster, is at most ${maxLaunchSeconds}`,
    ),
    maxRelaunches: z.described(
      z.withDefault(z.int().check(z.gte(0), z.lte(mostRelaunches)), 2),
      'How often davit relaunches when infrastructure takes the Pod before the agent has connected',
    ),
    graces: z.described(
      z.pipe(
        z.prefault(z.strictObject(z.partial(Graces).shape), {}),
        z.transform((given) => Graces.parse({ ...defaultGraces, ...given })),
      ),
      "How long a Pod's trouble may last if it can pass by itself, in seconds from when davit first sees it",
    ),
    maxAgentLifetimeSeconds: z.described(
      z.exactOptional(seconds),
      'How long an agent may live after it has connected. Default: 13 days',
    ),
    maxAgents: z.described(
      z.exactOptional(MaxAgents),
      'How many agents of the profile there may be at once. A job over it waits. Default: no limit',
    ),
    priority: z.described(
      z.exactOptional(z.int().check(z.gte(-100), z.lte(100))),
      'Which waiting jobs come first where a limit is reached: those of the higher number. Default: 0',
    ),
    pricePerHour: z.described(
      z.exactOptional(PricePerHour),
      'Dollars for an hour of one agent, which `davit console` counts with. For an agent without a size of its job. Default: no price',
    ),
    removeExitedAfterSeconds: z.described(
      z.exactOptional(z.int().check(z.gte(0), z.lte(longestAgentLifetimeSeconds))),
      "How long after its agent's exit davit ends a launch. Default: 60, so that the CI's `completed` comes first; with a runner, 0",
    ),
    holdFailedSeconds: z.described(
      z.exactOptional(z.int().check(z.positive(), z.lte(longestHoldSeconds))),
      "How long davit leaves the Pod of a failed launch in its cluster, for a person to look at. The Pod keeps its room, its quota and the launch's slot. Default: davit removes it at once",
    ),
    template: z.described(
      z.exactOptional(PodTemplateFragment),
      'The template of the Pod: labels, annotations and spec of a PodTemplateSpec. With a runner, it adds to the preset',
    ),
  })
  .check(z.check(reportMissing, { when: () => true }));
type ProfileFields = z.infer<typeof ProfileFields>;

const AgentPort = ProfileFields.shape.agentPort.def.innerType;

/** The fields that a profile must have if no preset has them. */
const Completed = z.object({ agentPort: AgentPort, template: PodTemplate });
type Completed = z.infer<typeof Completed>;

/** No client dials a runner that dials out. Its port is that of the discard protocol, where nothing listens. */
const CompletedRunner = z.extend(Completed, { agentPort: z.withDefault(AgentPort, 9) });

/** One kind of agent: which jobs it takes, where it runs, and how long each wait may take. */
export const Profile = z.pipe(ProfileFields, z.transform(resolveProfile));
export type Profile = Omit<ProfileFields, 'expose' | keyof Completed> & Completed & { expose: Expose };

function resolveProfile(fields: ProfileFields): Profile {
  const completed = z.parse(...completion(Given.parse(fields)));
  return fields.runner === undefined
    ? { expose: 'nodePort', removeExitedAfterSeconds: 60, ...fields, ...completed }
    : { expose: 'none', removeExitedAfterSeconds: 0, ...fields, ...completed };
}

/**
 * The part that the rest of a profile depends on. Malformed parts other than `runner` count as absent, because other
 * checks report them.
 */
const Given = z.object({
  runner: z.optional(RunnerProvider),
  expose: z.withFallback(z.optional(Expose), undefined),
  agentContainer: z.withFallback(DnsLabel, 'agent'),
  agentPort: z.optional(z.unknown()),
  template: z.optional(z.unknown()),
});

/** A profile filled in from its runner's preset, and the schema that the result must meet. */
function completion(given: z.infer<typeof Given>): [schema: z.ZodMiniType<Completed>, value: unknown] {
  const { runner, expose, agentContainer, agentPort, template } = given;
  if (runner === undefined) return [Completed, { agentPort, template }];
  const fragment = z.optional(PodTemplateFragment).safeParse(template);
  const filled = fragment.success ? withPreset(runner, agentContainer, fragment.data) : template;
  return [expose === 'nodePort' ? Completed : CompletedRunner, { agentPort, template: filled }];
}

/** Reports keys that are in neither the profile nor the preset, unless the preset is unknown. */
function reportMissing({ value, issues }: z.core.ParsePayload): void {
  const given = Given.safeParse(value).data;
  if (given === undefined) return;
  const told = new Set(issues.map(({ path = [] }) => path.join('.')));
  for (const { path } of z.safeParse(...completion(given)).error?.issues ?? []) {
    if (!told.has(path.join('.'))) issues.push({ code: 'custom', input: value, path, message: 'missing' });
  }
}
