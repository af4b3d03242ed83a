import { createHash, timingSafeEqual } from 'node:crypto';
import { isPresentAgent } from '../domain/launch-record.ts';
import type { LaunchPlan } from '../domain/launch-state.ts';
import type { RegistrationOutcome } from '../domain/registration-outcome.ts';
import type { AnswerSubject, HttpAnswer } from '../http/answer.ts';
import { Problem } from '../http/problem.ts';
import type { HttpRequest } from '../http/request.ts';
import type { AgentIdentity, CredentialVerifier } from '../ports/credentials.ts';
import type { Launches } from '../ports/launches.ts';
import type { Registrar } from '../ports/registrar.ts';
import type { Registrations } from '../ports/registrations.ts';
import type { TokenReader } from '../ports/tokens.ts';
import type { Traces } from '../ports/traces.ts';
import { connectAnswer } from './connect-answer.ts';

/** What the connect function needs. */
export interface ConnectDeps {
  tokens: TokenReader;
  launches: Pick<Launches, 'get' | 'markConnected'>;
  registrations: Pick<Registrations, 'begin'>;
  registrar: Registrar;
  credentials: CredentialVerifier;
  /** Makes a text that no other registration has. */
  newNonce: () => string;
  /** @default nothing is traced */
  traces?: Traces | undefined;
  nowEpochMs: () => number;
}

/** An agent that is let in: its launch's plan, and what it joins its CI system with. */
interface Admission {
  plan: LaunchPlan;
  /** Environment variables, whose values are secrets; none for an agent that davit does not register. */
  environment: Readonly<Record<string, string>>;
}

/**
 * Answers `POST /agents/{agentName}/connect`: 200 with the complete token and, for an agent that joins a CI system, all
 * that it joins with; or a problem that says whether to ask again. There is no answer in between: davit never guesses an
 * address.
 *
 * Reads the token before the record, so that the record has the last word. In the other order, a launch could end and
 * its token expire in between, and the agent would ask again for ever. Answers 410 to an agent of an earlier generation,
 * and to an agent of the same name in another Pod than the token's.
 *
 * @throws Problem `credential-refused`, `token-pending`, `registration-pending`, `launch-over`; TransientError when a
 *   table or a function did not answer
 */
export async function answerConnect(deps: ConnectDeps, request: HttpRequest): Promise<HttpAnswer> {
  const fromEpochMs = deps.nowEpochMs();
  const agent = await authenticate(deps, request);
  const published = await deps.tokens.get(agent.agentName);
  const record = await deps.launches.get(agent.launchId);
  if (!isPresentAgent(record, agent.agentName)) throw launchOver(agent);
  if (published === undefined) throw tokenPending(agent);
  const { token, credentialId = agent.credentialId } = published;
  const now = deps.nowEpochMs();
  if (credentialId !== agent.credentialId || Date.parse(token.expiresAt) <= now) throw launchOver(agent);
  const letIn = record?.plan?.join === undefined ? connect : join;
  const { plan, environment } = await letIn(deps, agent, now);
  await deps.traces?.agentConnected(plan, { fromEpochMs, toEpochMs: deps.nowEpochMs() });
  return { ...connectAnswer(request, token, environment), subject: subjectOf(agent) };
}

/** Marks the launch of an agent that davit does not register as connected. @throws Problem `launch-over` */
async function connect(deps: ConnectDeps, agent: AgentIdentity, atEpochMs: number): Promise<Admission> {
  const plan = await deps.launches.markConnected(agent, atEpochMs);
  if (plan === undefined) throw launchOver(agent);
  return { plan, environment: {} };
}

/**
 * Has an agent registered, which marks its launch as connected.
 *
 * @throws Problem `registration-pending`, `launch-over`; TransientError StoreUnavailable
 */
async function join(deps: ConnectDeps, agent: AgentIdentity, atEpochMs: number): Promise<Admission> {
  const nonce = deps.newNonce();
  const begun = await deps.registrations.begin(agent, nonce, atEpochMs);
  if (begun?.plan === undefined) throw launchOver(agent);
  return { plan: begun.plan, environment: environmentOf(agent, await deps.registrar.register(agent, nonce)) };
}

function environmentOf(agent: AgentIdentity, registered: RegistrationOutcome): Readonly<Record<string, string>> {
  switch (registered.outcome) {
    case 'registered':
      return registered.environment;
    case 'over':
      throw launchOver(agent);
    case 'superseded':
      throw registrationPending(agent, 'The agent asked again meanwhile.', 1);
    case 'unavailable':
      throw registrationPending(agent, registered.detail, 5, registered.code);
    default:
      return registered satisfies never;
  }
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

/** @param code why the CI system did not register the agent; absent when it was not asked */
function registrationPending(agent: AgentIdentity, detail: string, retrySeconds: number, code?: string): Problem {
  return new Problem('registration-pending', {
    detail,
    extra: { launchId: agent.launchId, ...(code === undefined ? {} : { code }) },
    headers: { 'retry-after': `${retrySeconds}` },
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
