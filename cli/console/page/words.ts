import { durationWords } from '../../view/duration.ts';
import { explanationOf } from '../../view/explanation.ts';
import type { Launch } from './api.ts';

/** The reason for a launch's wait, or its end. */
export interface Wait {
  /** In words: `the agent waits for a job`. */
  what: string;
  /** The words of the cluster or the CI system, or the reason for the launch's end. */
  detail?: string;
  /** ISO 8601. */
  since: string;
  means?: string;
  advice?: string;
}

/** Says why a launch waits now, and since when, or how it ended. */
export function waitOf(launch: Launch): Wait {
  const { status, signal, job, ending, cleaning, requestedAt, connectedAt } = launch;
  if (ending !== undefined && status !== 'cleaning') {
    return { what: status === 'failed' ? 'It failed' : 'It was ended', detail: ending.message, since: ending.at };
  }
  if (cleaning !== undefined) {
    return { what: 'davit removes its Pod and its Service', detail: cleaning.because, since: cleaning.since };
  }
  if (signal !== undefined) {
    const { code, detail, since } = signal;
    return { what: `Held by ${code}`, detail, since, ...explanationOf(code) };
  }
  if (job !== undefined && job.finishedAt === undefined) return { what: 'Its agent runs a job', since: job.startedAt };
  if (job?.finishedAt !== undefined) return { what: 'Its job is over', since: job.finishedAt };
  if (connectedAt !== undefined) return { what: 'Its agent is connected', since: connectedAt };
  const since = launch.plan?.startedAt ?? requestedAt;
  return { what: 'Its agent starts', since };
}

/** Formats the time since a moment. */
export function agoWords(at: string, nowEpochMs: number): string {
  return durationWords(nowEpochMs - Date.parse(at));
}

/** A launch's name for people: its job, or its id. */
export function titleOf({ launchId, plan, job }: Launch): string {
  return job?.name ?? plan?.job?.name ?? launchId;
}

/** Names the repository and workflow of a launch's job. */
export function originOf({ plan, job }: Launch): string {
  const { repository, workflow } = job?.repository === undefined ? (plan?.job ?? {}) : job;
  return [repository, workflow].filter((part) => part !== undefined).join(' · ');
}

/** A link that a person may follow; undefined for any other, such as `javascript:`. */
export function linkOf(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
}
