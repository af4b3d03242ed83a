import { printable } from '../../core/printable.ts';
import type { LaunchView } from '../../functions/launches/launch-view-schema.ts';
import { exactDurationWords } from './duration.ts';
import { passedSteps, type StepName } from './phases.ts';
import { saidOf } from './said-of.ts';

/** A launch, as the API shows it. */
export type Launch = LaunchView;

/** One moment of a launch's life, in words. */
export interface Moment {
  /** ISO 8601, UTC. */
  at: string;
  what: string;
}

const stepWords: Readonly<Record<StepName, string>> = {
  service: 'the Service exists',
  port: 'its port is known',
  pod: 'the Pod exists',
  scheduled: 'the Pod has a node',
  host: 'its address is known',
  token: 'davit has published the address',
  containers: 'the containers have started',
};

/** Lists the events of a launch, oldest first. */
export function timelineOf(launch: Launch): Moment[] {
  const { plan, generations = [], standby, job, signal, ending } = launch;
  const moments: (Moment | undefined)[] = [
    moment(plan?.job?.queuedAt, `job ${plan?.job?.name ?? ''} is queued`),
    moment(launch.requestedAt, requestWords(launch)),
    ...generations.flatMap(({ agentName, message, endedAt, timeline }) => [
      ...stepMoments(timeline, endedAt),
      moment(endedAt, `${agentName} is lost: ${saidOf(message)}`),
    ]),
    generations.length === 0 ? undefined : moment(plan?.startedAt, `launched again as ${launch.agentName}`),
    ...stepMoments(launch.timeline, launch.connectedAt ?? ending?.at),
    moment(launch.connectedAt, `${launch.agentName} has connected`),
    moment(standby?.since, 'no job waits: the agent stands by'),
    moment(standby?.summonedAt, `it is summoned for job ${standby?.summonedFor ?? ''}`),
    moment(job?.startedAt, `runs job ${job?.name ?? job?.jobKey ?? ''}`),
    moment(job?.finishedAt, `the job is over${job?.conclusion === undefined ? '' : `: ${job.conclusion}`}`),
    signal === undefined
      ? undefined
      : moment(signal.since, `${signal.code}: ${signal.detail.replace(`${signal.code}: `, '')}`),
    ending === undefined ? undefined : moment(ending.at, endWords(ending)),
    moment(launch.hold?.endedAt, 'the Pod is held no longer'),
    moment(launch.cleaning?.askedAgainAt, 'a sweep requests the clean-up again'),
    moment(launch.cleanedAt, 'the Pod and the Service are removed'),
  ];
  return moments
    .filter((each) => each !== undefined)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function requestWords({ plan, status }: Launch): string {
  if (plan === undefined && status === 'terminated') return 'the job is over already';
  return plan?.slots === undefined ? 'requested' : 'requested, because its limits have room';
}

/** A launch that failed while davit watched it needs no name of who ended it. */
function endWords({ outcome, code, message, by, actor }: NonNullable<Launch['ending']>): string {
  if (outcome === 'failed') return `failed: ${code}`;
  return `ended${actor?.kind === 'person' ? ` by ${actor.name}` : ''}: ${by === message ? by : saidOf(message)}`;
}

function stepMoments(timeline: Launch['timeline'] | undefined, untilAt: string | undefined): Moment[] {
  return passedSteps(timeline, untilAt).map(({ name, atEpochMs }) => ({
    at: new Date(atEpochMs).toISOString(),
    what: stepWords[name],
  }));
}

function moment(at: string | undefined, what: string): Moment | undefined {
  return at === undefined ? undefined : { at, what: printable(what.trim()) };
}

/** Writes moments as lines, each with its day and time, UTC, and the time since the first. */
export function momentLines(moments: readonly Moment[], firstAt = moments[0]?.at ?? ''): string[] {
  return moments.map(({ at, what }) => {
    const sinceMs = Date.parse(at) - Date.parse(firstAt);
    const since = sinceMs === 0 ? '' : `+${exactDurationWords(sinceMs)}`;
    return `${at.slice(0, 10)} ${at.slice(11, 19)}Z  ${since.padEnd(12)}  ${what}`;
  });
}
