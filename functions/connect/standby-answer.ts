import { credentialNumberOf, renewedCredentialId } from '../../core/launch/credential-id.ts';
import type { CredentialIssuer, VerifiedAgent } from '../../ports/credentials.ts';
import { type HttpAnswer, jsonAnswer } from '../../runtime/http/answer.ts';
import type { HttpRequest } from '../../runtime/http/request.ts';
import { standingBy, subjectOf } from './refusals.ts';

interface StandbyAnswerDeps {
  credentials: CredentialIssuer;
  nowEpochMs: () => number;
}

/** How old a credential becomes before davit renews it, in milliseconds. The one in the Pod is renewed at once. */
const renewAfterMs = 600_000;

/** How long a renewed credential is accepted, in seconds: less than the previous version of the key. */
const renewedForSeconds = 6 * 3600;

/** What an agent's script asks for, to see the answer: some programs show nothing of an error. */
const asAccepted = /;\s*standby=202\b/;

/**
 * Answers an agent that stands by at the end of a hold. Gives it a new credential, in the header `davit-credential`. The old
 * one stays good until the new one is used: nothing is lost with an answer.
 *
 * @returns 202 to an agent that asks with `Accept: text/x-shellscript; standby=202`, with the credential in a comment for its
 *   shell
 * @throws Problem `standing-by` for any other agent
 */
export async function standbyAnswer(
  deps: StandbyAnswerDeps,
  { headers }: Pick<HttpRequest, 'headers'>,
  agent: VerifiedAgent,
): Promise<HttpAnswer> {
  const credential = await renewed(deps, agent);
  if (!asAccepted.test(headers['accept'] ?? '')) throw standingBy(agent, credential);
  const { headers: common, ...answer } = jsonAnswer(202, {});
  return {
    ...answer,
    headers: { ...common, 'content-type': 'text/x-shellscript; charset=utf-8', 'retry-after': '1' },
    body: credential === undefined ? '# davit: stands by\n' : `# davit: credential ${credential} .\n`,
    subject: subjectOf(agent),
  };
}

/** @returns undefined for a credential that is new enough */
async function renewed(
  { credentials, nowEpochMs }: StandbyAnswerDeps,
  agent: VerifiedAgent,
): Promise<string | undefined> {
  const { agentName, launchId, credentialId, issuedAtEpochMs } = agent;
  if (credentialId === undefined) return undefined;
  const isYoung = nowEpochMs() - issuedAtEpochMs < renewAfterMs;
  if (isYoung && credentialNumberOf(credentialId).renewals > 0) return undefined;
  const expiresAtEpochSeconds = Math.floor(nowEpochMs() / 1000) + renewedForSeconds;
  return credentials.issue(
    { agentName, launchId, credentialId: renewedCredentialId(credentialId) },
    expiresAtEpochSeconds,
  );
}
