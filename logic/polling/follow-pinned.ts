import type { CiSystemConfig } from '../../core/ci/ci-system-config.ts';
import type { OpenJob } from '../../core/ci/poll-cursor.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { AttributedEnding } from '../../core/launch/launch-record.ts';
import { present } from '../../core/present.ts';
import type { CiJobState } from '../../ports/ci-system.ts';
import { handleRegisteredJob } from '../jobs/handle-registered-job.ts';
import { endLaunch } from '../lifecycle/end-launch.ts';
import { begin } from './follow-job.ts';
import { laterEvent } from './later-event.ts';
import type { PollDeps } from './poll-deps.ts';

/**
 * Handles the state of a job that davit follows, as the event that the CI system does not send. The system does not say
 * which agent has a job; only the agent of the job's own launch may get it from davit.
 *
 * @param state undefined when the system did not say
 * @returns the job as the next poll follows it; undefined for one that is over, or that another agent has
 * @throws TransientError, TerminalError when a table did not answer; the next poll asks again
 */
export async function followPinned(
  deps: PollDeps,
  system: CiSystemConfig,
  open: OpenJob,
  state: CiJobState | undefined,
): Promise<OpenJob | undefined> {
  const isKnown = state?.status === 'in_progress' && open.runner !== undefined;
  if (state?.status === 'waiting' || state?.status === 'queued' || isKnown) return open;
  const [record] = await deps.jobs.getMany([open.jobKey]);
  if (record === undefined) return undefined;
  // Reconciling decides about a job of which the system says nothing for long.
  if (state === undefined) return record.status === 'completed' ? undefined : open;
  const launch = record.lastLaunch && (await deps.launches.get(record.lastLaunch.launchId));
  const runner = record.runner ?? launch?.runner;
  if (state.status === 'in_progress') {
    if (runner !== undefined) return begin(deps, system, record, { runner });
    await endUntaken(deps, system, record);
    return undefined;
  }
  const { conclusion } = state;
  await handleRegisteredJob(
    deps,
    system,
    laterEvent('completed', record, present({ runner, conclusion }), deps.nowEpochMs()),
  );
  return undefined;
}

/** Ends the launch for a job that another agent has: davit gave its own agent no token for it. */
async function endUntaken(deps: PollDeps, system: CiSystemConfig, record: JobRecord): Promise<void> {
  const now = deps.nowEpochMs();
  await handleRegisteredJob(deps, system, laterEvent('in_progress', record, {}, now));
  if (record.lastLaunch === undefined) return;
  const ending: AttributedEnding = {
    outcome: 'terminated',
    code: 'Terminated',
    message: `another agent of ${system.name} runs the job`,
    by: 'poll-ci',
    actor: { kind: 'davit', name: 'poll-ci/taken' },
    atEpochMs: now,
  };
  await endLaunch(deps, record.lastLaunch.launchId, ending, { unlessConnected: true });
}
