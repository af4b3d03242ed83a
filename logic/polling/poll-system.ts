import { isDeepStrictEqual } from 'node:util';
import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import { type OpenJob, type PollCursor, storedPart } from '../../core/ci/poll-cursor.ts';
import { runnerPrefixOf } from '../../core/launch/runner-names.ts';
import type { ListedRunner } from '../../ports/ci-system.ts';
import { findUnneeded, type PollSight } from './find-unneeded.ts';
import { begin, followJob, polledScope } from './follow-job.ts';
import { inTurn } from './in-turn.ts';
import { Poll, type Polled, type PollState } from './poll.ts';
import type { PollDeps } from './poll-deps.ts';
import { keyOf, knownOf, requestJob, requestNew } from './request-job.ts';
import { retire } from './retire.ts';
import { boundJobs } from './runner-launches.ts';

/**
 * Polls a CI system once, and handles what has happened since the last poll as the events that the system does not send.
 * Handles an event before the cursor moves on: if the process dies in between, the next poll handles it again, which does
 * no harm. A cursor that is not this process's own may lack a job, so its poll also follows what the records have.
 *
 * @param before where this process's last poll has got to. @default this is its first one
 * @throws TransientError, TerminalError when the CI system did not list its queue, or the cursor cannot be stored
 */
export async function pollSystem(deps: PollDeps, system: CiSystemConfig, before?: PollState): Promise<Polled> {
  const stored = await deps.cursors.get(system.name);
  const ci = deps.ciSystemOf(system.name);
  // Another process handles the jobs that webhooks name, and only the records have those.
  const isOwn = ci.findJob === undefined && before?.revision === stored.revision;
  const { open, unseen: earlier = [] } = isOwn ? before.cursor : stored.cursor;
  const listed = (await ci.listJobs(polledScope, ['queued'])) ?? [];
  const runners = await ci.findRunners(polledScope, runnerPrefixOf(deps.installationId));

  const poll = new Poll();
  const recorded = isOwn ? [] : await recordedJobs(deps, system, runners);
  const queued = new Map(listed.map((job) => [keyOf(system, job), job]));
  const known = await knownOf(deps, open, recorded, queued);
  const unknown = [...queued].filter(([key]) => !known.has(key));
  await requestNew(deps, system, poll, unknown);
  const followed = inTurn([...known.values()].filter(({ jobKey }) => !queued.has(jobKey)));
  poll.open.push(...[...known.values()].filter(({ jobKey }) => queued.has(jobKey)), ...followed.later);
  // One after the other: two parts of a pipeline are told apart by the runner that the first one has.
  for (const job of followed.now) {
    await poll.attempt(`job ${job.jobKey}`, job, () => followJob(deps, system, job, runners));
  }
  const unseen = await takeUnseen(deps, system, poll, runners, earlier);
  await retireUnneeded(deps, system, poll, { queued, runners, open: poll.open });
  const cursor: PollCursor = { open: poll.open, ...(unseen.length === 0 ? {} : { unseen }) };
  const isNews = !isDeepStrictEqual(cursor, isOwn ? before.cursor : stored.cursor);
  const revision = isNews ? await deps.cursors.keep(system.name, storedPart(cursor), stored.revision) : stored.revision;
  return { cursor, revision, queued: unknown.length, errors: poll.errors };
}

/**
 * Handles the jobs that agents of this davit took between two polls, so that no poll saw them in the queue. Each took the
 * agent of another job, so it asks for an agent, too. Skips runners that no earlier poll saw busy: this poll may have seen
 * their job in the queue.
 *
 * @param earlier the ids of those runners
 * @returns the ids of the busy runners whose job is still unknown
 */
async function takeUnseen(
  deps: PollDeps,
  system: CiSystemConfig,
  poll: Poll,
  runners: readonly ListedRunner[],
  earlier: readonly number[],
): Promise<number[]> {
  const ci = deps.ciSystemOf(system.name);
  const known = new Set(poll.open.map(({ runner }) => runner?.id));
  const busy = runners.filter(({ id, isBusy }) => isBusy === true && !known.has(id));
  for (const { id, name } of busy.filter((runner) => earlier.includes(runner.id))) {
    await poll.attempt(`job of runner ${name}`, undefined, async () => {
      const job = await ci.runningJob?.(polledScope, id);
      const requested = job && (await requestJob(deps, system, job));
      const [record] = requested === undefined ? [] : await deps.jobs.getMany([requested.jobKey]);
      return record && begin(deps, system, record, { runner: { id, name } });
    });
  }
  const taken = new Set(poll.open.map(({ runner }) => runner?.id));
  return busy.map(({ id }) => id).filter((id) => !taken.has(id));
}

/**
 * Asks for the retirement of the agents that no job waits for, and keeps them from getting one. Only where runners do not end
 * with their job: elsewhere, such an agent has run nothing.
 *
 *     stop ──► dies     an agent that gets no job, and that nobody retires once a job waits for one like it
 *     ask ──► dies      the retirement marks its launch, and stops it
 */
async function retireUnneeded(deps: PollDeps, system: CiSystemConfig, poll: Poll, sight: PollSight): Promise<void> {
  const ci = deps.ciSystemOf(system.name);
  if (ci.limitToOneJob === undefined) return;
  for (const { runner, launch } of await findUnneeded(deps, system, sight)) {
    await poll.attempt(`runner ${runner.name}`, undefined, async () => {
      await retire(deps, launch.launchId, { reason: 'no queued job waits for its agent', actor: 'surplus' });
      await ci.stopAssigning(polledScope, runner.id);
      return undefined;
    });
  }
}

/**
 * Reads the jobs that are not over by davit's records: those that wait, and those that agents have got. A poll may have
 * died before it stored its cursor, or overlapped another one.
 */
async function recordedJobs(
  deps: PollDeps,
  system: CiSystemConfig,
  runners: readonly ListedRunner[],
): Promise<OpenJob[]> {
  const waiting = await deps.jobs.listWaiting(system.name);
  const bound = await boundJobs(deps, runners);
  return [...waiting.map(({ jobKey }) => ({ jobKey })), ...bound.map(({ jobKey, runner }) => ({ jobKey, runner }))];
}
