import type { LaunchView } from '../../functions/launches/launch-view-schema.ts';
import { durationWords, exactDurationWords } from './duration.ts';
import { explanationOf } from './explanation.ts';
import { lengthMs, longestOf, type Phase, passedSteps, phasesOf, phaseWords, type StepName } from './phases.ts';
import { printable } from './table.ts';

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
  host: 'its host is known',
  token: 'the token is published',
  containers: 'the containers have started',
};

/** Lists the events of a launch, oldest first. */
export function timelineOf(launch: Launch): Moment[] {
  const { plan, generations = [], job, signal, ending } = launch;
  const moments: (Moment | undefined)[] = [
    moment(plan?.job?.queuedAt, `job ${plan?.job?.name ?? ''} is queued`),
    moment(launch.requestedAt, requestWords(launch)),
    ...generations.flatMap(({ agentName, message, endedAt, timeline }) => [
      ...stepMoments(timeline, endedAt),
      moment(endedAt, `${agentName} is lost: ${message}`),
    ]),
    generations.length === 0 ? undefined : moment(plan?.startedAt, `launched again as ${launch.agentName}`),
    ...stepMoments(launch.timeline, launch.connectedAt ?? ending?.at),
    moment(launch.connectedAt, `${launch.agentName} has connected`),
    moment(job?.startedAt, `runs job ${job?.name ?? job?.jobKey ?? ''}`),
    moment(job?.finishedAt, `the job is over${job?.conclusion === undefined ? '' : `: ${job.conclusion}`}`),
    signal === undefined ? undefined : moment(signal.since, `waits: ${signal.code}: ${signal.detail}`),
    ending === undefined ? undefined : moment(ending.at, `${ending.outcome} by ${ending.by}: ${ending.message}`),
    moment(launch.cleaning?.askedAgainAt, 'a sweep asks for the clean-up again'),
    moment(launch.cleanedAt, 'everything of it is gone'),
  ];
  return moments
    .filter((each) => each !== undefined)
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function requestWords({ plan, status }: Launch): string {
  if (plan === undefined && status === 'terminated') return 'the job is over already';
  return plan?.slots === undefined ? 'asked for' : 'admitted by its limits, and asked for';
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
    const since = durationWords(Date.parse(at) - Date.parse(firstAt));
    return `${at.slice(0, 10)} ${at.slice(11, 19)}Z  ${`+${since}`.padEnd(12)}  ${what}`;
  });
}

/** Shows a launch to a person: its fields and timeline, why it waits or ended, advice, and the cluster's words. */
export function launchLines(launch: Launch, nowEpochMs: number): string[] {
  const { plan, job, signal, ending, cleaning, diagnostics } = launch;
  const told = plan?.job ?? job;
  return [
    field('launch', `${launch.launchId}, ${launch.status}`),
    field('agent', launch.agentName),
    ...(plan === undefined ? [] : [field('profile', `${plan.profile}, cluster ${plan.cluster}, ${plan.namespace}`)]),
    ...(plan?.size === undefined ? [] : [field('size', sizeWords(plan.size))]),
    ...(told === undefined ? [] : [field('job', jobWords(told))]),
    ...(plan?.sourceUrl === undefined ? [] : [field('link', plan.sourceUrl)]),
    '',
    ...momentLines(timelineOf(launch)),
    '',
    ...phaseLines(phasesOf(launch, nowEpochMs)),
    ...(signal === undefined ? [] : ['', ...waitLines(signal, nowEpochMs)]),
    ...(cleaning === undefined
      ? []
      : ['', field('cleaning', `since ${durationWords(nowEpochMs - Date.parse(cleaning.since))}`)]),
    ...(ending === undefined ? [] : ['', field('why', `${ending.code}: ${ending.means ?? ending.message}`)]),
    ...(ending?.advice === undefined || ending.outcome !== 'failed' ? [] : [field('do', ending.advice)]),
    ...(diagnostics === undefined ? [] : diagnosticLines(diagnostics)),
  ];
}

function waitLines({ code, detail, since }: NonNullable<Launch['signal']>, nowEpochMs: number): string[] {
  const { means, advice } = explanationOf(code);
  return [
    field('waits', `${code} since ${durationWords(nowEpochMs - Date.parse(since))}`),
    field('', detail),
    ...(means === undefined ? [] : [field('why', means)]),
    ...(advice === undefined ? [] : [field('do', advice)]),
  ];
}

function sizeWords(size: NonNullable<NonNullable<Launch['plan']>['size']>): string {
  return Object.entries(size)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** Writes how long each phase took, and which was the longest without a connected agent. */
function phaseLines(phases: readonly Phase[]): string[] {
  const width = Math.max(0, ...phases.map(({ name }) => phaseWords[name].length));
  const longest = longestOf(phases);
  return phases.map((phase, index) => {
    const soFar = phase.isOpen ? ' so far' : '';
    const isLongest =
      phase === longest?.phase ? `, the longest of ${durationWords(longest.allMs)} without an agent` : '';
    const took = `${exactDurationWords(lengthMs(phase))}${soFar}${isLongest}`;
    return field(index === 0 ? 'phases' : '', `${phaseWords[phase.name].padEnd(width)}  ${took}`);
  });
}

type Job = NonNullable<Launch['job']> | NonNullable<NonNullable<Launch['plan']>['job']>;

function jobWords({ repository, workflow, name, attempt }: Job): string {
  return [repository, workflow, name, (attempt ?? 1) > 1 ? `attempt ${attempt}` : undefined]
    .filter((part) => part !== undefined)
    .join(', ');
}

function diagnosticLines({ events, log, unread }: NonNullable<Launch['diagnostics']>): string[] {
  return [
    '',
    ...events.map(({ type, reason, message, count }) => field('event', `${type} ${reason} (${count}): ${message}`)),
    ...(log === undefined ? [] : [field('log', `of container ${log.container}:`), ...indented(log.text)]),
    ...unread.map((what) => field('unread', what)),
  ];
}

function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => field('', line));
}

function field(name: string, text: string): string {
  return `${name.padEnd(9)} ${printable(text)}`.trimEnd();
}
