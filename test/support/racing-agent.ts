import type { Dispatcher } from 'undici';
import * as z from 'zod';
import { CompletedToken } from '../../core/launch/completed-token.ts';
import { agentNameOf } from '../../core/launch/names.ts';

/** An agent that a test simulates. */
export interface RacingAgentOptions {
  launchId: string;
  /** The credential to use now: the Pod's own, once there is one. */
  credential: () => string;
  /** Keep-alive connections to davit. */
  davit: Dispatcher;
  /** davit's base URL. */
  origin: string;
  /** How often it asks after its first token. */
  asksAgain: number;
}

/** The answers that an agent got. */
export interface AgentAnswers {
  launchId: string;
  /** Every answer in order: `200`, or the status and the problem's slug, `503 token-pending`. */
  answers: string[];
  /** The body of each 200, as text. */
  tokens: string[];
}

const ProblemType = z.object({ type: z.string() });

/**
 * Polls the connect endpoint without pauses, whatever Retry-After says, until it has its tokens or an answer that is
 * neither 200 nor 503.
 */
export async function raceToConnect(options: RacingAgentOptions): Promise<AgentAnswers> {
  const { launchId, asksAgain } = options;
  const answers: string[] = [];
  const tokens: string[] = [];
  while (tokens.length <= asksAgain) {
    const credential = options.credential();
    const { status, text } = await ask(options, credential);
    // The Pod appeared in the meantime, with its own credential. The answer was for the old one.
    if (options.credential() !== credential) continue;
    answers.push(status === 200 ? '200' : `${status} ${slugOf(text)}`);
    if (status === 200) tokens.push(text);
    else if (status !== 503) break;
  }
  return { launchId, answers, tokens };
}

/** Reads the token from an agent's answers. @throws ZodError when it is incomplete */
export function tokenOf({ tokens }: AgentAnswers): CompletedToken {
  return CompletedToken.parse(JSON.parse(tokens[0] ?? 'null'));
}

async function ask({ davit, origin, launchId }: RacingAgentOptions, credential: string) {
  const { statusCode, body } = await davit.request({
    origin,
    path: `/agents/${agentNameOf(launchId)}/connect`,
    method: 'POST',
    headers: { authorization: `Bearer ${credential}` },
  });
  return { status: statusCode, text: await body.text() };
}

/** The last segment of a problem's type. */
function slugOf(text: string): string {
  return ProblemType.parse(JSON.parse(text)).type.split('/').at(-1) ?? '';
}
