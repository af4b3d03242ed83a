import type { OpenJob } from '../../core/ci/poll-cursor.ts';

/** How many jobs without an agent a poll asks for that are in no list. */
const mostAsked = 50;

/** The jobs that a poll asks for, and those that a later one does. */
interface Turn {
  now: OpenJob[];
  later: OpenJob[];
}

/**
 * Gives the open jobs that are in no list their turn. Anybody may queue any number of jobs in a project and then hide it: a
 * poll that asked for each of them would never come to an end. A job on an agent of davit's is always asked for. Of the
 * others come the first ones: a poll moves those that stay open behind the others.
 */
export function inTurn(jobs: readonly OpenJob[]): Turn {
  const unbound = jobs.filter(({ runner }) => runner === undefined);
  const later = new Set(unbound.slice(mostAsked));
  return { now: jobs.filter((job) => !later.has(job)), later: [...later] };
}
