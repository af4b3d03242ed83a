import type { LaunchView as Launch } from '../../functions/launches/launch-view-schema.ts';

/** The steps to a connected agent, in the order in which a launch usually passes them. */
const steps = ['service', 'port', 'pod', 'scheduled', 'host', 'token', 'containers'] as const;

/** The name of a step. */
export type StepName = (typeof steps)[number];

/** The kind of a phase. The phase of a step lasts until the launch has passed it. */
export type PhaseName =
  | 'queued'
  | 'earlier'
  | 'starting'
  | StepName
  | 'connecting'
  | 'idle'
  | 'running'
  | 'leaving'
  | 'held'
  | 'cleaning';

/** One phase of a launch. */
export interface Phase {
  name: PhaseName;
  fromEpochMs: number;
  toEpochMs: number;
  isOpen: boolean;
}

/** The name of each phase, for people. */
export const phaseWords: Readonly<Record<PhaseName, string>> = {
  queued: 'the job is queued',
  earlier: 'earlier agents',
  starting: 'the agent starts',
  service: 'davit makes the Service',
  port: 'the Service gets its port',
  pod: 'davit makes the Pod',
  scheduled: 'the Pod waits for a node',
  host: 'the node takes the Pod',
  token: 'davit publishes the address',
  containers: 'images are pulled, containers start',
  connecting: 'the agent connects',
  idle: 'the agent is connected',
  running: 'the job runs',
  leaving: 'the job is over',
  held: 'the Pod is held for a person',
  cleaning: 'davit cleans up',
};

type Timeline = NonNullable<Launch['timeline']>;

/** The beginning of a phase. */
type Begin = readonly [PhaseName, atEpochMs: number | undefined];

interface PassedStep {
  name: StepName;
  atEpochMs: number;
}

/**
 * Divides a launch's time into phases, oldest first, without gaps or overlaps, even if a CI system's or a cluster's clock
 * differs from davit's. The last phase of a live launch lasts until now.
 */
export function phasesOf(launch: Launch, nowEpochMs: number): Phase[] {
  const { plan, job, ending, hold, generations = [] } = launch;
  const begins: readonly Begin[] = [
    ['queued', epochMsOf(plan?.job?.queuedAt)],
    ['earlier', generations.length === 0 ? undefined : epochMsOf(launch.requestedAt)],
    ...beginsUntilConnected(launch),
    ['idle', epochMsOf(launch.connectedAt)],
    ['running', epochMsOf(job?.startedAt)],
    ['leaving', epochMsOf(job?.finishedAt)],
    ['held', hold && epochMsOf(ending?.at)],
    ['cleaning', epochMsOf(hold === undefined ? ending?.at : hold.endedAt)],
  ];
  const over = isOver(launch) ? (launch.cleanedAt ?? ending?.at) : undefined;
  const known = begins
    .flatMap(([name, atEpochMs]) => (atEpochMs === undefined ? [] : [{ name, atEpochMs }]))
    .filter(({ name }, index, all) => name !== all[index - 1]?.name);
  const endEpochMs = over === undefined ? nowEpochMs : Date.parse(over);
  let earliest = Number.NEGATIVE_INFINITY;
  return known.flatMap(({ name, atEpochMs }, index) => {
    const next = known[index + 1]?.atEpochMs ?? endEpochMs;
    const fromEpochMs = Math.max(atEpochMs, earliest);
    const toEpochMs = Math.max(next, fromEpochMs);
    earliest = toEpochMs;
    const isOpen = index === known.length - 1 && over === undefined;
    return toEpochMs > fromEpochMs || isOpen ? [{ name, fromEpochMs, toEpochMs, isOpen }] : [];
  });
}

/**
 * Lists the steps that a generation has passed, oldest first. The cluster's times are whole seconds of its own clock.
 * So this moves each between the times that davit recorded before and after it.
 *
 * @param untilAt when the agent connected, or the generation ended
 */
export function passedSteps(timeline: Timeline | undefined, untilAt: string | undefined): PassedStep[] {
  const at = (name: StepName) => epochMsOf(timeline?.[`${name}At`]);
  const latest = epochMsOf(untilAt) ?? Number.POSITIVE_INFINITY;
  const scheduled = within(at('pod'), at('scheduled'), latest);
  const moved: Partial<Record<StepName, number | undefined>> = {
    scheduled,
    containers: within(scheduled ?? at('pod'), at('containers'), latest),
  };
  return steps
    .flatMap((name) => {
      const atEpochMs = moved[name] ?? at(name);
      return atEpochMs === undefined ? [] : [{ name, atEpochMs }];
    })
    .toSorted((one, other) => one.atEpochMs - other.atEpochMs);
}

/**
 * Lists the beginnings of the phases until the agent is connected. A phase has the name of the step that ends it. If
 * earlier steps are unknown, its name is `starting`, because the record does not say which of them took the time.
 */
function beginsUntilConnected(launch: Launch): Begin[] {
  const { plan, requestedAt, connectedAt, ending, timeline } = launch;
  const startedAtEpochMs = epochMsOf(plan?.startedAt ?? requestedAt);
  if (timeline === undefined) return [['starting', startedAtEpochMs]];
  const passed = passedSteps(timeline, connectedAt ?? ending?.at);
  let unknown = stepsOf(launch).filter((step) => passed.every(({ name }) => name !== step));
  const names = passed.map(({ name }): PhaseName => {
    const later = unknown.filter((step) => steps.indexOf(step) > steps.indexOf(name));
    const isKnown = later.length === unknown.length;
    unknown = later;
    return isKnown ? name : 'starting';
  });
  const [next] = unknown;
  const last: PhaseName = connectedAt !== undefined && next !== undefined ? 'starting' : (next ?? 'connecting');
  const begins = [startedAtEpochMs, ...passed.map(({ atEpochMs }) => atEpochMs)];
  return [...names, last].map((name, index): Begin => [name, begins[index]]);
}

function stepsOf({ plan }: Launch): StepName[] {
  return steps.filter((name) => plan?.expose !== 'none' || (name !== 'service' && name !== 'port'));
}

function within(earliest: number | undefined, epochMs: number | undefined, latest: number): number | undefined {
  return epochMs === undefined ? undefined : Math.min(Math.max(epochMs, earliest ?? epochMs), latest);
}

function epochMsOf(at: string | undefined): number | undefined {
  return at === undefined ? undefined : Date.parse(at);
}

/** Says whether a launch is over and its objects are gone. */
export function isOver({ status }: Pick<Launch, 'status'>): boolean {
  return status === 'failed' || status === 'terminated';
}

/** Says whether the Pod of a failed launch stays for a person to look at. */
export function isHeld({ hold }: Pick<Launch, 'hold'>): boolean {
  return hold !== undefined && hold.endedAt === undefined;
}

/** The phases in which a launch has no connected agent yet. */
const untilConnected: ReadonlySet<PhaseName> = new Set(['earlier', 'starting', ...steps, 'connecting']);

/** The longest phase between a launch's request and its agent's connecting, or its end, and how long all of them took. */
export function longestOf(phases: readonly Phase[]): { phase: Phase; allMs: number } | undefined {
  const ofStart = phases.filter(({ name }) => untilConnected.has(name));
  const [phase] = ofStart.toSorted((one, other) => lengthMs(other) - lengthMs(one));
  return phase && { phase, allMs: ofStart.reduce((sum, each) => sum + lengthMs(each), 0) };
}

/** How long a phase lasted. */
export function lengthMs({ fromEpochMs, toEpochMs }: Phase): number {
  return toEpochMs - fromEpochMs;
}
