import { createHash, timingSafeEqual } from 'node:crypto';
import { isPresentAgent } from '../domain/launch-record.ts';
import type { AnswerSubject, HttpAnswer } from '../http/answer.ts';
import { Problem } from '../http/problem.ts';
import type { HttpRequest } from '../http/request.ts';
import type { AgentIdentity, CredentialVerifier } from '../ports/credentials.ts';
import type { Launches } from '../ports/launches.ts';
import type { TokenReader } from '../ports/tokens.ts';
import type { Traces } from '../ports/traces.ts';
import { connectAnswer } from './connect-answer.ts';

/** What the connect function needs. */
export interface ConnectDeps {
  tokens: TokenReader;
  launches: Pick<Launches, 'get' | 'markConnected'>;
  credentials: CredentialVerifier;
  /** @default nothing is traced */
  traces?: Traces | undefined;
  nowEpochMs: () => number;
}

/**
 * Answers `POST /agents/{agentName}/connect`: 200 with the complete token, or a problem that says whether to ask again.
 * There is no answer in between: davit never guesses an address.
 *
 * Reads the token before the record, so that the record has the last word. In the other order, a launch could end and
 * its token expire in between, and the agent would ask again for ever. Answers 410 to an agent of an earlier generation,
 * and to an agent of the same name in another Pod than the token's.
 *
 * @throws Problem `credential-refused`, `token-pending`, `launch-over`; TransientError when a table did not answer
 */
export async function answerConnect(deps: ConnectDeps, request: HttpRequest): Promise<HttpAnswer> {
  const fromEpochMs = deps.nowEpochMs();
  const agent = await authenticate(deps, request);
  const { agentName, launchId } = agent;
  const published = await deps.tokens.get(agentName);
  if (published === undefined) {
    const record = await deps.launches.get(launchId);
    throw isPresentAgent(record, agentName) ? tokenPending(agent) : launchOver(agent);
  }
  const { token, credentialId = agent.credentialId } = published;
  if (credentialId !== agent.credentialId) throw launchOver(agent);
  const now = deps.nowEpochMs();
  if (Date.parse(token.expiresAt) <= now) throw launchOver(agent);
  const plan = await deps.launches.markConnected(agent, now);
  if (plan === undefined) throw launchOver(agent);
  await deps.traces?.agentConnected(plan, { fromEpochMs, toEpochMs: deps.nowEpochMs() });
  return { ...connectAnswer(request, token, {}), subject: subjectOf(agent) };
}

/** Refuses every bad credential with the same answer, so that a stranger learns nothing about existing agents. */
async function authenticate(deps: ConnectDeps, request: HttpRequest): Promise<AgentIdentity> {
  const credential = /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers['authorization'] ?? '')?.[1];
  const identity = credential === undefined ? undefined : await deps.credentials.verify(credential);
  if (identity !== undefined && isSameText(identity.agentName, request.parameters['agentName'] ?? '')) return identity;
  throw new Problem('credential-refused', {
    detail: 'The request has no credential that is valid for this agent.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** Compares in constant time. `timingSafeEqual` needs equal lengths, so it compares digests. */
function isSameText(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
}

function subjectOf({ launchId, agentName }: AgentIdentity): AnswerSubject {
  return { launchId, agentName };
}

function tokenPending(agent: AgentIdentity): Problem {
  return new Problem('token-pending', {
    detail: "The launch is under way; its agent's address is not published yet.",
    extra: { launchId: agent.launchId },
    headers: { 'retry-after': '1' },
    subject: subjectOf(agent),
  });
}

function launchOver(agent: AgentIdentity): Problem {
  return new Problem('launch-over', {
    detail: 'The launch failed, was terminated, has expired, or goes on with another agent.',
    extra: { launchId: agent.launchId },
    subject: subjectOf(agent),
  });
}
