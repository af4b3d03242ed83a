import { isPolled } from '../../core/ci/ci-systems.ts';
import { isEndedByItsJob } from '../../core/job/job-ending.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import { ciRepository } from '../world/ci-server.ts';
import type { FaultKind } from '../world/fault-kinds.ts';
import type { Evidence, Invariant } from './evidence.ts';

/** Faults because of which davit may not learn in time that a job is lost, or may not be able to ask. */
const hindering: readonly FaultKind[] = [
  'ciAnswerLost',
  'ciEventJustThen',
  'ciEventLate',
  'ciEventLost',
  'ciJobRerun',
  'ciOutage',
  'ciUnavailable',
  'crashAfterWrite',
  'crashBeforeWrite',
  'listMissesOne',
  'repositoryQuiet',
  'staleJobList',
  'stalled',
  'storeAnswerLost',
  'storeThrottled',
];

/** How long the CI system must still show a job as running after its loss, in milliseconds: two rounds, and a bit. */
const shownMs = 150_000;

/** Before the rounds of the first phase of a run end. */
const roundsEndMs = 19 * 60_000;

/** Invariant 10 of docs/invariants.md, for jobs that a node took: davit asks the CI system for another attempt. */
export const lostRunAgain: Invariant = {
  name: '10: each job that lost its agent to infrastructure runs again, with all others of its run',
  *check(evidence) {
    const { run } = evidence;
    // Elsewhere no profile of these worlds asks for it.
    if (isPolled(run.world.queue.system)) return;
    if (hindering.some((kind) => run.plan.has(kind))) return;
    const endsAtEpochMs = (run.history[0]?.atEpochMs ?? 0) + roundsEndMs;
    const { server } = run.world.queue;
    for (const job of server.jobs) {
      if (job.attempt > 1 || job.conclusion !== 'failure') continue;
      const lostAtEpochMs = lossOf(evidence, job);
      const overAtEpochMs = overAtOf(evidence, server.nameOf(job));
      if (overAtEpochMs - lostAtEpochMs < shownMs || overAtEpochMs > endsAtEpochMs) continue;
      const hasRunAgain = server.jobs.some(({ id, attempt }) => id === job.id && attempt > 1);
      if (!hasRunAgain) yield `job ${job.id} lost its agent, and did not run again`;
    }
  },
};

/** Faults that take a Pod before davit has looked why its job failed. */
const hiding: readonly FaultKind[] = ['deletedByOthers', 'replacedByOthers', 'nodeGone', 'podOutlives'];

/** For how long a sweep leaves the Pod of a launch that is over to its clean-up, in milliseconds. Then it deletes it unread. */
const leftToCleanUpMs = 600_000;

/** Invariant 10 of docs/invariants.md, for jobs that a runner failed when it was told to stop. */
export const takenRunAgain: Invariant = {
  name: '10: each job that its runner failed when infrastructure took its agent runs again',
  *check(evidence) {
    const { run, launches } = evidence;
    const { queue } = run.world;
    if (isPolled(queue.system) || [...hindering, ...hiding].some((kind) => run.plan.has(kind))) return;
    for (const { job: name, launchId = '', isTaken } of evidence.of('jobOver')) {
      const launch = launches.get(launchId)?.record;
      // A sweep may be earlier than the job's event, and see the loss of a job that may have ended before it.
      if (isTaken !== true || launch === undefined || !isEndedByItsJob(launch)) continue;
      const job = queue.server.jobs.find((each) => queue.server.nameOf(each) === name);
      if (job === undefined || job.attempt > 1) continue;
      const hasRunAgain = queue.server.jobs.some(({ id, attempt }) => id === job.id && attempt > 1);
      if (hasRunAgain || isDeletedLate(evidence, launchId)) continue;
      yield `the runner of job ${job.id} failed it when its Pod was taken, and it did not run again`;
    }
  },
};

/** Whether a Pod of a launch was deleted after the time of its clean-up: its cluster was away, say. */
function isDeletedLate(evidence: Evidence, launchId: string): boolean {
  const { recordedAtEpochMs = Infinity } = evidence.launches.get(launchId)?.ending ?? {};
  return [...evidence.of('deleted')].some(
    (each) => each.launchId === launchId && each.atEpochMs - recordedAtEpochMs > leftToCleanUpMs,
  );
}

/** @returns when the launch of a job's agent ended as a loss; Infinity if it did not */
function lossOf({ run, launches }: Evidence, { id, attempt }: { id: number; attempt: number }): number {
  const { queue, jobs } = run.world;
  const jobKey = jobKeyOf({ ciSystem: queue.system.name, repositoryId: ciRepository.id, jobId: id, attempt });
  const ending = launches.get(jobs.get(jobKey)?.ranBy ?? '')?.ending;
  return ending?.isLoss === true ? ending.recordedAtEpochMs : Infinity;
}

function overAtOf(evidence: Evidence, name: string): number {
  for (const { job, atEpochMs } of evidence.of('jobOver')) if (job === name) return atEpochMs;
  return -Infinity;
}

/** A job may be at fault for the loss of its agent: it takes the memory of its node. */
export const rerunOnce: Invariant = {
  name: '10: davit has a lost job run again once, and only while no later attempt of it has begun',
  *check(evidence) {
    const asked = new Set<number>();
    for (const { id, latest } of evidence.of('rerunAsked')) {
      if (asked.has(id)) yield `job ${id} was asked to run again twice`;
      asked.add(id);
      const lost = evidence.run.world.lostJobs.attemptOf(id) ?? 0;
      if (latest > lost)
        yield `job ${id} was asked to run again after attempt ${latest}: davit had lost attempt ${lost}`;
    }
  },
};
