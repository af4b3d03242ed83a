import type { PublishedToken } from '../../core/launch/completed-token.ts';
import { credentialNumberOf } from '../../core/launch/credential-id.ts';
import { isPresentAgent } from '../../core/launch/launch-record.ts';
import type { LaunchPlan } from '../../core/launch/launch-state.ts';
import type { RegistrationOutcome } from '../../core/launch/registration-outcome.ts';
import type { Timeline } from '../../core/launch/timeline.ts';
import type { AgentIdentity, CredentialIssuer, CredentialVerifier, VerifiedAgent } from '../../ports/credentials.ts';
import type { Launches } from '../../ports/launches.ts';
import type { Registrar } from '../../ports/registrar.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { TokenReader } from '../../ports/tokens.ts';
import type { Traces } from '../../ports/traces.ts';
import type { HttpAnswer } from '../../runtime/http/answer.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { isSameSecret } from '../../runtime/signing/is-same-secret.ts';
import { type AwaitSummonsDeps, awaitSummons } from './await-summons.ts';
import { credentialRefused, launchOver, registrationPending, subjectOf, tokenPending } from './refusals.ts';
import { standbyAnswer } from './standby-answer.ts';
import { tokenAnswer } from './token-answer.ts';

/** The dependencies of the connect function. */
export interface ConnectDeps extends AwaitSummonsDeps {
  tokens: TokenReader;
  launches: Pick<Launches, 'get' | 'markConnected'>;
  registrations: Pick<Registrations, 'begin' | 'standBy' | 'noteRenewal'>;
  registrar: Registrar;
  credentials: CredentialVerifier & CredentialIssuer;
  /** Makes a text that no other registration has. */
  newNonce: () => string;
  /** @default nothing is traced */
  traces?: Traces | undefined;
}

/**
 * How connect waits for a token before it answers 503. On a node with room, an agent asks some 50 ms before davit
 * publishes its token, and would sleep for a whole second after a 503. An agent that is older than `ageMs` gets its
 * answer at once: if something delays publishing, the waiting agents must not occupy functions.
 */
export const tokenWait = { pausesMs: [50, 100, 200, 350], ageMs: 15_000 } as const;

/** An admitted agent: its launch's plan, and the variables that it joins its CI system with. */
interface Admission {
  plan: LaunchPlan;
  /** Environment variables, whose values are secrets; none for an agent that davit does not register. */
  environment: Readonly<Record<string, string>>;
}

/**
 * Answers `POST /agents/{agentName}/connect`: 200 with the complete token and, for an agent that joins a CI system, its
 * variables; or a problem that says whether to ask again. An agent for which no job waits stands by: it is held, and asks
 * again. There is no partial answer: davit never guesses an address.
 *
 * Reads the token before the record, so that the record decides. In the other order, a launch could end and its token
 * expire in between, and the agent would ask again for ever. Answers 410 to an agent of an earlier generation, and to an
 * agent of the same name in another Pod than the token's.
 *
 * @throws Problem `credential-refused`, `token-pending`, `standing-by`, `registration-pending`, `launch-over`;
 *   TransientError when a table or a function did not answer
 */
export async function answerConnect(deps: ConnectDeps, request: HttpRequest): Promise<HttpAnswer> {
  const fromEpochMs = deps.nowEpochMs();
  const agent = await authenticate(deps, request);
  const published = await awaitToken(deps, agent, fromEpochMs);
  const record = await deps.launches.get(agent.launchId);
  if (!isPresentAgent(record, agent.agentName)) throw launchOver(agent);
  if (published === undefined) throw tokenPending(agent);
  const { token, credentialId = agent.credentialId, timeline } = published;
  const now = deps.nowEpochMs();
  const isPods = madeAs(credentialId) === madeAs(agent.credentialId);
  if (!isPods || Date.parse(token.expiresAt) <= now) throw launchOver(agent);
  const joins = record?.plan?.join !== undefined;
  if (joins && !(await awaitSummons(deps, agent, record, fromEpochMs, timeline)))
    return standbyAnswer(deps, request, agent);
  const { plan, environment } = await (joins
    ? join(deps, agent, request.receivedAtEpochMs, timeline)
    : connect(deps, agent, now, timeline));
  await deps.traces?.agentConnected(plan, { fromEpochMs, toEpochMs: deps.nowEpochMs() });
  return { ...tokenAnswer(request, token, environment), subject: subjectOf(agent) };
}

/** The id of the credential that was made with the Pod. */
function madeAs(credentialId: string | undefined): string | undefined {
  return credentialId && credentialNumberOf(credentialId).madeAs;
}

/** @returns undefined if the token is not published, for a young agent within a short wait */
async function awaitToken(
  { tokens, sleep }: ConnectDeps,
  { agentName, issuedAtEpochMs }: VerifiedAgent,
  nowEpochMs: number,
): Promise<PublishedToken | undefined> {
  const isYoung = nowEpochMs < issuedAtEpochMs + tokenWait.ageMs;
  let published = await tokens.get(agentName);
  for (const pauseMs of isYoung ? tokenWait.pausesMs : []) {
    if (published !== undefined) break;
    await sleep(pauseMs);
    published = await tokens.get(agentName);
  }
  return published;
}

/** Marks the launch of an agent that davit does not register as connected. @throws Problem `launch-over` */
async function connect(
  deps: ConnectDeps,
  agent: AgentIdentity,
  atEpochMs: number,
  timeline: Timeline | undefined,
): Promise<Admission> {
  const plan = await deps.launches.markConnected(agent, atEpochMs, timeline);
  if (plan === undefined) throw launchOver(agent);
  return { plan, environment: {} };
}

/**
 * Asks register-runner to register an agent, which marks its launch as connected.
 *
 * @throws Problem `registration-pending`, `launch-over`; TransientError StoreUnavailable
 */
async function join(
  deps: ConnectDeps,
  agent: AgentIdentity,
  askedAtEpochMs: number,
  timeline: Timeline | undefined,
): Promise<Admission> {
  const nonce = deps.newNonce();
  const begun = await deps.registrations.begin(agent, nonce, askedAtEpochMs, timeline);
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
      throw registrationPending(agent, registered.detail, registered.retryAfterSeconds ?? 5, registered.code);
    default:
      return registered satisfies never;
  }
}

/** Refuses every bad credential with the same answer, so that a stranger learns nothing about existing agents. */
async function authenticate(deps: ConnectDeps, request: HttpRequest): Promise<VerifiedAgent> {
  const credential = /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers['authorization'] ?? '')?.[1];
  const identity = credential === undefined ? undefined : await deps.credentials.verify(credential);
  if (identity !== undefined && isSameSecret(identity.agentName, request.parameters['agentName'] ?? ''))
    return identity;
  throw credentialRefused();
}
