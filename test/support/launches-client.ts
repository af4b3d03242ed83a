import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { LaunchStatus } from '../../core/launch/launch-record.ts';

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
  timeline: z.record(z.string(), z.iso.datetime()).optional(),
  connectedAt: z.iso.datetime().optional(),
  cleanedAt: z.iso.datetime().optional(),
  signal: z.looseObject({ code: z.string(), detail: z.string() }).optional(),
  ending: Ending.optional(),
  generations: z.array(z.looseObject({ code: z.string() })).optional(),
});
export type LaunchShown = z.infer<typeof LaunchShown>;

/** A parsed answer of davit's HTTP API. */
export interface ApiAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** davit's launches API, as a CI server calls it. */
export interface LaunchesClient {
  post(body: object): Promise<ApiAnswer>;
  /** Requests a launch and returns its id. @throws Error when the answer is not 202 */
  request(body: object): Promise<string>;
  show(launchId: string): Promise<LaunchShown>;
  /** Gets a path, such as `/launches?status=failed`. */
  get(path: string): Promise<ApiAnswer>;
  end(launchId: string): Promise<ApiAnswer>;
  /**
   * Waits until a launch has one of these statuses, and retries after 503.
   *
   * @throws Error with the last answer when time runs out
   */
  until(launchId: string, ...statuses: LaunchStatus[]): Promise<LaunchShown>;
}

const lookMs = 100;
const patienceMs = 115_000;
const Body = z.record(z.string(), z.unknown());

/** Makes a client for the davit at this base URL. @param token that runtime's bearer token */
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
