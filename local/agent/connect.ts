import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { CompletedToken } from '../../core/launch/completed-token.ts';

/** The settings of a connect. */
export interface ConnectOptions {
  /** DAVIT_CONNECT_URL. */
  url: string;
  /** DAVIT_CREDENTIAL. */
  credential: string;
  log: (text: string) => void;
}

/** The result of a connect. */
export interface Connected {
  token: CompletedToken;
  /** The variables that the agent joins its CI system with; empty if davit does not register it. */
  environment: Record<string, string>;
  /** How often the answer was 503, "not yet". */
  pendingAnswers: number;
}

const unreachableRetryMs = 1000;
const Environment = z.object({ environment: z.record(z.string(), z.string()).default({}) });

/**
 * Connects as the protocol demands. Retries after Retry-After while the answer is 503. Also retries when no answer
 * comes, and after any other 5xx, as `curl --retry` does.
 *
 * @throws Error for any other answer: the agent's launch is over (410), or it never had one (401)
 */
export async function connect({ url, credential, log }: ConnectOptions): Promise<Connected> {
  let pendingAnswers = 0;
  for (;;) {
    const answer = await ask(url, credential, log);
    if (answer?.status === 200) {
      const body: unknown = await answer.json();
      return { token: CompletedToken.parse(body), ...Environment.parse(body), pendingAnswers };
    }
    if (answer !== undefined && answer.status < 500) {
      throw new Error(`the connect endpoint answered ${answer.status}: ${await answer.text()}`);
    }
    if (answer?.status === 503) pendingAnswers += 1;
    else if (answer !== undefined) log(`the connect endpoint answered ${answer.status}: asking again`);
    await answer?.body?.cancel();
    await sleep(retryAfterMs(answer));
  }
}

async function ask(url: string, credential: string, log: ConnectOptions['log']): Promise<Response | undefined> {
  try {
    return await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${credential}` } });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    log(`${url} cannot be reached (${String(error.cause)}): asking again`);
    return undefined;
  }
}

function retryAfterMs(answer: Response | undefined): number {
  const seconds = Number(answer?.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : unreachableRetryMs;
}
