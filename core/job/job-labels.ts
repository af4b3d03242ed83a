import type { CiProvider } from '../ci/ci-system-config.ts';
import { comparableLabel, traitsOf } from '../ci/ci-systems.ts';

/** The most labels that a job may have. A profile offers fewer, so no job with more could run on an agent. */
export const mostLabels = 100;

/** The longest label of a profile, and of a job that asks for single labels, in characters. GitHub's own limit for a runner's label is the same. */
export const longestLabel = 256;

/** A job's labels, each once; or why davit stores nothing of the job. */
export type LabelsReading = { labels: string[]; reason?: never } | { labels?: never; reason: string };

/** Reads the labels that a job's author chose: as many and as long as they like. */
export function readLabels(provider: CiProvider, given: readonly string[]): LabelsReading {
  const labels = [...new Map(given.map((label) => [comparableLabel(provider, label), label])).values()];
  if (labels.length > mostLabels) {
    return { reason: `the job has ${labels.length} labels: davit takes at most ${mostLabels}` };
  }
  const longest = traitsOf(provider).longestAskedLabel ?? longestLabel;
  const position = given.findIndex((label) => label.length > longest);
  if (position === -1) return { labels };
  const characters = given[position]?.length;
  return { reason: `label ${position + 1} of the job has ${characters} characters: davit takes at most ${longest}` };
}
