import { printable } from '../../core/printable.ts';
import { durationWords, exactDurationWords } from './duration.ts';
import { isHeld, isOver, lengthMs, longestOf, type Phase, phasesOf, phaseWords } from './phases.ts';
import { type Launch, momentLines, timelineOf } from './timeline.ts';
import { limitWords, lookCommands, podWordsOf, whyOf } from './why.ts';

/**
 * Shows a launch to a person: what it is, why it waits or failed and what to do, the log, the cluster's Events, and last
 * its timeline.
 */
export function launchLines(launch: Launch, nowEpochMs: number): string[] {
  const { plan, job, diagnostics } = launch;
  const told = job?.name === undefined ? plan?.job : job;
  return [
    field('launch', `${launch.launchId}, ${launch.status}`),
    ...(told === undefined ? [] : [field('job', jobWords(told))]),
    ...(plan?.sourceUrl === undefined ? [] : [field('link', plan.sourceUrl)]),
    ...(plan === undefined ? [] : [field('profile', `${plan.profile}, cluster ${plan.cluster}, ${plan.namespace}`)]),
    ...(plan?.size === undefined ? [] : [field('size', sizeWords(plan.size))]),
    field('agent', launch.agentName),
    '',
    ...whyLines(launch, nowEpochMs),
    ...(diagnostics === undefined ? [] : diagnosticLines(diagnostics)),
    '',
    ...momentLines(timelineOf(launch)),
    '',
    ...phaseLines(phasesOf(launch, nowEpochMs)),
  ];
}

function whyLines(launch: Launch, nowEpochMs: number): string[] {
  const why = whyOf(launch, nowEpochMs);
  const { what, code, detail, since, means, advice } = why;
  const limit = limitWords(launch, nowEpochMs);
  const podState = podWordsOf(launch, why);
  const passed = durationWords(nowEpochMs - Date.parse(since));
  const isPast = isOver(launch) || isHeld(launch);
  return [
    field('now', isPast ? `${what}, ${passed} ago` : `${what}, for ${passed}`),
    ...(limit === undefined ? [] : [field('', limit)]),
    ...(podState === undefined ? [] : [field('pod', podState)]),
    ...(code === undefined && detail === undefined ? [] : [field('why', [code, detail].filter(Boolean).join(': '))]),
    ...(means === undefined ? [] : [field('', means)]),
    ...(advice === undefined ? [] : [field('do', advice)]),
    ...lookCommands(launch).map((command, index) => field(index === 0 ? 'look' : '', command)),
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
      phase === longest?.phase ? `, the longest of ${exactDurationWords(longest.allMs)} without an agent` : '';
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
    ...(log === undefined
      ? []
      : [field('log', `the end of the log of container ${log.container}:`), ...indented(log.text)]),
    ...events.map(({ type, reason, message, count }) => field('event', `${type} ${reason} (${count}): ${message}`)),
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
