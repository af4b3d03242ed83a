import { isDeepStrictEqual } from 'node:util';
import { atATime } from '../../core/at-a-time.ts';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { type OpenJob, type PollCursor, storedPart } from '../../core/ci/poll-cursor.ts';
import { TerminalError } from '../../core/errors/errors.ts';
import { ownIdIn } from '../../core/job/job-id.ts';
import { type LaunchRecord, liveStatuses } from '../../core/launch/launch-record.ts';
import { polledScope } from './follow-job.ts';
import { followPinned, isWaiting } from './follow-pinned.ts';
import { holdJobs } from './hold-jobs.ts';
import { inTurn } from './in-turn.ts';
import { Poll, type Polled, type PollState } from './poll.ts';
import type { PollDeps } from './poll-deps.ts';
import { keyOf, knownOf, requestNew } from './request-job.ts';

/** How many jobs one poll handles at a time. */
const jobsAtATime = 10;

/** How many launches one page of the index has. */
const pageSize = 500;

/**
 * Polls, once, a CI system in which davit chooses the job of each agent. Asks for an agent for each new job, holds the job
 * for it, and asks for the states of all jobs that are not over: such a system says of none that it was cancelled unless it is
 * asked, and some list no job that davit holds.
 *
 *     scheduled ──► launch requested ──► reserved, extended at half-life ──► its agent acquires it ──► over: launch ended
 *                         └ davit stops, or the launch fails for good: not extended, and the job is scheduled again
 *
 * Handles an event before the cursor moves on, as `pollSystem` does.
 *
 * @param before where this process's last poll has got to. @default this is its first one
 * @throws TransientError, TerminalError when the CI system did not answer, or the cursor cannot be stored
 */
export async function pollPinned(deps: PollDeps, system: CiSystemConfig, before?: PollState): Promise<Polled> {
  const ci = deps.ciSystemOf(system.name);
  const { pinned } = ci;
  if (pinned === undefined) throw new TerminalError('CiRefused', `${system.name} holds no jobs for agents`);
  const stored = await deps.cursors.get(system.name);
  const isOwn = before?.revision === stored.revision;
  const { open } = isOwn ? before.cursor : stored.cursor;
  const recorded = isOwn ? [] : await recordedJobs(deps, system);
  const listed = (await ci.listJobs(polledScope, pinned.statesOf ? ['queued'] : ['queued', 'in_progress'])) ?? [];
  const queued = new Map(listed.filter(({ status }) => status === 'queued').map((job) => [keyOf(system, job), job]));
  const known = await knownOf(deps, open, recorded, queued);
  const followed = [...known.values()].filter(({ jobKey }) => !queued.has(jobKey));
  const states = pinned.statesOf
    ? await pinned.statesOf(followed.map(({ jobKey }) => ownIdIn(jobKey)))
    : new Map(listed.map((job) => [`${job.jobId}`, job]));

  const poll = new Poll();
  const unknown = [...queued].filter(([key]) => !known.has(key));
  await requestNew(deps, system, poll, unknown);
  const stateOf = ({ jobKey }: OpenJob) => states.get(ownIdIn(jobKey));
  const inDoubt = inTurn(followed.filter((job) => !isWaiting(stateOf(job))));
  const waiting = followed.filter((job) => isWaiting(stateOf(job)));
  const listedAgain = [...known.values()].filter(({ jobKey }) => queued.has(jobKey)).map(asQueued);
  poll.open.push(...listedAgain, ...waiting, ...inDoubt.later);
  await atATime(jobsAtATime, inDoubt.now, (job) =>
    poll.attempt(`job ${job.jobKey}`, job, () => followPinned(deps, system, job, stateOf(job))),
  );
  const held = await holdJobs(deps, pinned, poll, new Set(queued.keys()));
  const cursor: PollCursor = { open: held };
  const isNews = !isDeepStrictEqual(cursor, isOwn ? before.cursor : stored.cursor);
  const revision = isNews ? await deps.cursors.keep(system.name, storedPart(cursor), stored.revision) : stored.revision;
  return { cursor, revision, queued: unknown.length, errors: poll.errors };
}

/** A job that is in the queue has no agent, whatever an earlier poll saw. */
function asQueued({ runner: _runner, elsewhereSinceEpochMs: _since, ...job }: OpenJob): OpenJob {
  return job;
}

/**
 * Reads the jobs that are not over by davit's records: those that wait, and those of live launches. A poll may have died
 * before it stored its cursor, or overlapped another one.
 */
async function recordedJobs(deps: PollDeps, system: CiSystemConfig): Promise<OpenJob[]> {
  const waiting = await deps.jobs.listWaiting(system.name);
  const live = await listLive(deps, system);
  return [
    ...waiting.map(({ jobKey }) => ({ jobKey })),
    // Without their runners: a poll that died may have bound a launch and not have noted that its job runs.
    ...live.flatMap(({ plan, runs }): OpenJob[] => {
      const jobKey = runs?.jobKey ?? plan?.jobKey;
      return jobKey === undefined ? [] : [{ jobKey }];
    }),
  ];
}

async function listLive({ launches }: PollDeps, { name }: CiSystemConfig): Promise<LaunchRecord[]> {
  const found: LaunchRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await launches.list({ statuses: liveStatuses, limit: pageSize, ...(cursor ? { cursor } : {}) });
    found.push(...(page?.launches ?? []).filter(({ plan }) => plan?.join?.ciSystem === name));
    cursor = page?.cursor;
  } while (cursor !== undefined);
  return found;
}
