import { isLive, type LaunchRecord } from '../../core/launch/launch-record.ts';
import { agentNameOf } from '../../core/launch/names.ts';
import type { RequestedLaunch } from '../../logic/lifecycle/request-launch.ts';
import { type AnswerSubject, type HttpAnswer, jsonAnswer } from './answer.ts';
import type { LaunchAnswer } from './answers.ts';

/**
 * Answers a request for a launch: 202 for a new launch, 200 with `duplicate: true` for a known one. If the known launch is
 * over, the answer has the reason.
 */
export function launchAnswer({ record, duplicate }: RequestedLaunch): HttpAnswer {
  const { launchId, plan, status } = record;
  const body: LaunchAnswer = {
    launchId,
    agentName: plan?.agentName ?? agentNameOf(launchId),
    ...(plan === undefined ? {} : { profile: plan.profile, cluster: plan.cluster }),
    status,
  };
  const headers = { location: `/launches/${launchId}` };
  const subject = { ...subjectOf(record), duplicate };
  if (!duplicate) return { ...jsonAnswer(202, body, headers), subject };
  const reason = isLive(record) ? {} : { reason: whyOver(record) };
  const known: LaunchAnswer = { ...body, duplicate: true, ...reason };
  return { ...jsonAnswer(200, known, headers), subject };
}

/** Returns the subject of an answer about a launch. */
export function subjectOf({ launchId, plan }: Pick<LaunchRecord, 'launchId' | 'plan'>): AnswerSubject {
  const { agentName, profile, cluster, traceHeader } = plan ?? {};
  return { launchId, agentName, profile, cluster, traceHeader };
}

function whyOver({ plan, ending }: LaunchRecord): string {
  if (plan === undefined) return 'the job was completed before it was queued';
  return ending === undefined ? 'the launch is over' : `${ending.by}: ${ending.message}`;
}
