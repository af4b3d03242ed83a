import { repositoryText } from '../../core/ci/ci-scope.ts';
import type { RefusedWebhooks } from '../../core/ci/refused-webhooks.ts';
import { isoTime } from '../../core/epoch-ms.ts';
import { jobKeyOf } from '../../core/job/job-id.ts';
import type { JobRecord } from '../../core/job/job-record.ts';
import type { LaunchRecord, Signal } from '../../core/launch/launch-record.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import { present } from '../../core/present.ts';
import { requestedAtOf } from '../../core/retention.ts';
import { signalView } from '../launches/launch-view.ts';
import type { LimitPosition } from './limit-positions.ts';
import type { QueuedJobView, RefusedWebhooksView, WaitView } from './queued-job-view-schema.ts';

/** A job that waits, with everything that davit knows about the reason. */
export interface QueuedJob {
  job: JobRecord;
  profile?: string | undefined;
  /** Why no profile takes it. */
  noProfile?: string | undefined;
  /** Its place among the jobs that wait for a slot of a limit. */
  place?: LimitPosition | undefined;
  /** The latest launch for it. */
  launch?: LaunchRecord | undefined;
}

/**
 * Builds the view of a job that waits, with times in ISO 8601 and the reason in words. Omits fields without a value.
 */
export function queuedJobView(queued: QueuedJob, nowEpochMs: number): QueuedJobView {
  const { job, profile, launch } = queued;
  const { ciSystem, status, name, repository, workflow, runId, attempt, url, labels, launches, queuedAtEpochMs } = job;
  const seenAtEpochMs = requestedAtOf(job.expiresAtEpochSeconds);
  return present({
    jobKey: jobKeyOf(job),
    ciSystem,
    status,
    name,
    repository: repositoryText(repository),
    workflow,
    runId,
    attempt,
    url,
    labels,
    seenAt: isoTime(seenAtEpochMs),
    queuedAt: queuedAtEpochMs === undefined ? undefined : isoTime(queuedAtEpochMs),
    waitsForSeconds: Math.max(0, Math.round((nowEpochMs - (queuedAtEpochMs ?? seenAtEpochMs)) / 1000)),
    profile,
    waitsFor: waitView(queued, nowEpochMs),
    launches,
    launch: launch && {
      launchId: launch.launchId,
      agentName: launch.plan?.agentName ?? agentNameOf(launch.launchId),
      status: launch.status,
    },
  });
}

/** Builds the view of the webhooks of a CI system that were refused. */
export function refusedWebhooksView(
  ciSystem: string,
  { count, why, firstAtEpochMs, lastAtEpochMs }: RefusedWebhooks,
): RefusedWebhooksView {
  return { ciSystem, count, why, since: isoTime(firstAtEpochMs), lastAt: isoTime(lastAtEpochMs) };
}

function waitView({ job, noProfile, launch, place }: QueuedJob, nowEpochMs: number): WaitView {
  if (job.status === 'waiting') return { reason: 'OtherJob', detail: 'another job, or an approval' };
  if (noProfile !== undefined) return { reason: 'NoProfile', detail: noProfile };
  if (place !== undefined) {
    return { reason: 'Limit', detail: `${place.words}, position ${place.position}`, position: place.position };
  }
  if (job.notLaunched !== undefined) return { reason: 'NotRequested', detail: job.notLaunched };
  if (launch === undefined) return { reason: 'NotRequested', detail: 'davit has not requested an agent for it yet' };
  return launchWait(launch, nowEpochMs);
}

function launchWait({ status, plan, signal, runs, ending }: LaunchRecord, nowEpochMs: number): WaitView {
  const agent = `agent ${plan?.agentName ?? 'unknown'}`;
  if (status === 'launching') {
    const detail = signal === undefined ? `${agent} is being launched` : signalWords(signal);
    return { reason: 'AgentLaunching', detail, ...(signal && { signal: signalView(signal, nowEpochMs) }) };
  }
  if (runs !== undefined) return { reason: 'AgentTaken', detail: `${agent} has got job ${runs.jobKey}` };
  if (status === 'connected') {
    return { reason: 'AgentConnected', detail: `${agent} is connected: its CI system has given it no job yet` };
  }
  const why = ending === undefined ? 'its launch is over' : ending.message;
  return { reason: 'AgentEnded', detail: `${agent} is gone: ${why}. The next reconcile looks for another one` };
}

/** The scheduler's words begin with their code already. */
function signalWords({ code, detail }: Signal): string {
  return detail.startsWith(`${code}: `) ? detail : `${code}: ${detail}`;
}
