import type { Finding } from '../finding.ts';
import type { Histories } from './histories.ts';
import type { RecordHistory, Step } from './step.ts';

/** After this time each reconcile knows of a job that waits: they are a minute apart, and each takes up to a minute. */
const knownMs = 180_000;

/**
 * Checks that no warm agent is launched with a slot of a limit for which a job has waited. Only where no function stood
 * still, which may act on what it read long before.
 */
export function checkWaiting({ launches, jobs }: Histories): Finding[] {
  return [...launches.values()].flatMap(({ key, steps }) => {
    const [requested] = steps;
    if (requested === undefined || !isWarm(requested)) return [];
    const first = [...jobs.values()].find((job) => waitsFor(job, requested));
    if (first === undefined) return [];
    const rule = 'a job that waits for a slot gets it before a warm agent';
    return [{ subject: `launch ${key}`, rule, seen: `job ${first.key} waited for it`, line: requested.line }];
  });
}

/** A warm agent joins a CI system, and no job has asked for it. */
function isWarm({ written: { command, fields } }: Step<'launch'>): boolean {
  return command === 'request' && fields.pool !== undefined && fields.jobKey === undefined;
}

/** Says whether a job waited for one of a launch's slots before, and was still counted as waiting afterwards. */
function waitsFor({ steps }: RecordHistory<'job'>, { written, atEpochMs }: Step<'launch'>): boolean {
  const after = steps.findIndex((step) => step.atEpochMs > atEpochMs);
  if (after < 1 || steps[after]?.written.command !== 'claimLaunch') return false;
  const before = steps.slice(0, after);
  const { limitedBy, status } = before.at(-1)?.written.fields ?? {};
  if (limitedBy === undefined || status !== 'queued') return false;
  if (written.fields.slots?.limits.includes(limitedBy) !== true) return false;
  const since = before[before.findLastIndex((step) => step.written.fields.limitedBy !== limitedBy) + 1];
  return since !== undefined && atEpochMs - since.atEpochMs >= knownMs;
}
