import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { LaunchStatus } from '../../functions/domain/launch-record.ts';

const Ending = z.looseObject({
  outcome: z.string(),
  code: z.string(),
  message: z.string(),
  by: z.string(),
  means: z.string(),
  advice: z.string(),
});

/** A launch as `GET /launches/{launchId}` shows it. */
export const LaunchShown = z.looseObject({
  launchId: z.string(),
  agentName: z.string(),
  status: LaunchStatus,
  signal: z.looseObject({ code: z.string(), detail: z.string() }).optional(),
  ending: Ending.optional(),
});
export type LaunchShown = z.infer<typeof LaunchShown>;

/** An answer of davit's HTTP API, read. */
export interface ApiAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** davit's launches API, as a CI server calls it. */
export interface LaunchesClient {
  post(body: object): Promise<ApiAnswer>;
  /** Asks for a launch and gives its id. @throws Error when it is answered otherwise than 202 */
  request(body: object): Promise<string>;
  show(launchId: string): Promise<LaunchShown>;
  /** Asks for what a path has, such as `/launches?status=failed`. */
  get(path: string): Promise<ApiAnswer>;
  end(launchId: string): Promise<ApiAnswer>;
  /** Waits until a launch has one of these statuses; a davit that says 503 is asked again. @throws Error saying how it is when it has not come to that */
  until(launchId: string, ...statuses: LaunchStatus[]): Promise<LaunchShown>;
}

const lookMs = 100;
const patienceMs = 115_000;
const Body = z.record(z.string(), z.unknown());

/**
 * Makes a client of the davit at this base URL.
 *
 * @param token the bearer token of that run
 */
export function createLaunchesClient(url: string, token: string): LaunchesClient {
  const call = async (method: string, path: string, body?: object): Promise<ApiAnswer> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: Body.parse(await answer.json()) };
  };
  const show = async (launchId: string) => LaunchShown.parse((await call('GET', `/launches/${launchId}`)).body);

  return {
    post: (body) => call('POST', '/launches', body),
    request: async (body) => {
      const answer = await call('POST', '/launches', body);
      if (answer.status !== 202) throw new Error(`POST /launches was answered ${JSON.stringify(answer)}`);
      return z.object({ launchId: z.string() }).parse(answer.body).launchId;
    },
    show,
    get: (path) => call('GET', path),
    end: (launchId) => call('DELETE', `/launches/${launchId}`),
    until: async (launchId, ...statuses) => {
      const over = AbortSignal.timeout(patienceMs);
      for (;;) {
        const answer = await call('GET', `/launches/${launchId}`);
        if (answer.status !== 503) {
          const launch = LaunchShown.parse(answer.body);
          if (statuses.includes(launch.status)) return launch;
        }
        if (over.aborted) throw new Error(`waited for ${statuses.join(' or ')}, found ${JSON.stringify(answer)}`);
        await sleep(lookMs);
      }
    },
  };
}
