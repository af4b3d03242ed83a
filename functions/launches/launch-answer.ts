import type { LaunchRecord } from '../domain/launch-record.ts';
import { isLive } from '../domain/launch-record.ts';
import { agentNameOf } from '../domain/names.ts';
import type { AnswerSubject, HttpAnswer } from '../http/answer.ts';
import { jsonAnswer } from '../http/answer.ts';
import type { RequestedLaunch } from './request-launch.ts';

/**
 * Answers the caller who asked for a launch: 202 when it is new, 200 with `duplicate: true` when it was asked for
 * before, with the reason when it is over.
 */
export function launchAnswer({ record, duplicate }: RequestedLaunch): HttpAnswer {
  const { launchId, plan, status } = record;
  const about = {
    launchId,
    agentName: plan?.agentName ?? agentNameOf(launchId),
    ...(plan === undefined ? {} : { profile: plan.profile, cluster: plan.cluster }),
    status,
  };
  const headers = { location: `/launches/${launchId}` };
  const subject = { ...subjectOf(record), duplicate };
  if (!duplicate) return { ...jsonAnswer(202, about, headers), about: subject };
  const reason = isLive(record) ? {} : { reason: whyOver(record) };
  return { ...jsonAnswer(200, { ...about, duplicate: true, ...reason }, headers), about: subject };
}

/** Says what an answer about a launch is about. */
export function subjectOf({ launchId, plan }: Pick<LaunchRecord, 'launchId' | 'plan'>): AnswerSubject {
  const { agentName, profile, cluster, traceHeader } = plan ?? {};
  return { launchId, agentName, profile, cluster, traceHeader };
}

function whyOver({ plan, ending }: LaunchRecord): string {
  if (plan === undefined) return 'the job was completed before it was queued';
  return ending === undefined ? 'the launch is over' : `${ending.by}: ${ending.message}`;
}
