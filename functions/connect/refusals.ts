import { present } from '../../core/present.ts';
import type { AgentIdentity } from '../../ports/credentials.ts';
import type { AnswerSubject } from '../../runtime/http/answer.ts';
import { Problem } from '../../runtime/http/problem.ts';

/** 401, the same for every bad credential. */
export function credentialRefused(): Problem {
  return new Problem('credential-refused', {
    detail: 'The request has no credential that is valid for this agent.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** The ids that an answer to an agent is about. */
export function subjectOf({ launchId, agentName }: AgentIdentity): AnswerSubject {
  return { launchId, agentName };
}

/** 503: the agent asks again in a second. */
export function tokenPending(agent: AgentIdentity): Problem {
  return new Problem('token-pending', {
    detail: "The launch is under way; its agent's address is not published yet.",
    extra: { launchId: agent.launchId },
    headers: { 'retry-after': '1' },
    subject: subjectOf(agent),
  });
}

/**
 * 503: the agent is not registered in its CI system yet.
 *
 * @param code why the CI system did not register the agent; absent when davit did not ask it
 */
export function registrationPending(
  agent: AgentIdentity,
  detail: string,
  retrySeconds: number,
  code?: string,
): Problem {
  return new Problem('registration-pending', {
    detail,
    extra: { launchId: agent.launchId, code },
    headers: { 'retry-after': `${retrySeconds}` },
    subject: subjectOf(agent),
  });
}

/**
 * 503: no job waits for the agent. It asks again at once, and connect holds its request until it is summoned.
 *
 * @param credential the one that it asks with from now on; absent when it keeps its own
 */
export function standingBy(agent: AgentIdentity, credential: string | undefined): Problem {
  return new Problem('standing-by', {
    detail: 'No job waits for the agent: it stands by, and is registered when davit summons it for one.',
    extra: { launchId: agent.launchId },
    headers: { 'retry-after': '1', ...present({ 'davit-credential': credential }) },
    subject: subjectOf(agent),
  });
}

/** 410: the agent should exit. */
export function launchOver(agent: AgentIdentity): Problem {
  return new Problem('launch-over', {
    detail: 'The launch failed, was terminated, has expired, or goes on with another agent.',
    extra: { launchId: agent.launchId },
    subject: subjectOf(agent),
  });
}
