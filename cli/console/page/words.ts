import { durationWords } from '../../view/duration.ts';
import type { Launch } from './api.ts';

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
