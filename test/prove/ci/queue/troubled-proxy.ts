import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';

/** The fate of one of davit's requests. */
export type Trouble = 'none' | 'slow' | 'throttled' | 'failed' | 'answerLost';

/** A proxy between davit and its CI system. */
export interface TroubledProxy extends LoopbackServer {
  /** The number of times that each fault happened. */
  readonly hits: Readonly<Record<Trouble, number>>;
  /** Injects no faults from now on. */
  calm(): void;
  /**
   * Does the work while no runner is asking for a task. Gitea loses a task that it hands out as it stops: the job stays
   * `in_progress` for 10 minutes (`ZOMBIE_TASK_TIMEOUT`), and its ephemeral runner never gets it.
   *
   * @see https://github.com/go-gitea/gitea/blob/v1.26.0/services/actions/task.go#L32
   */
  betweenTasks(work: () => Promise<void>): Promise<void>;
}

/** The paths that davit requests. Runners use the same proxy, but get no faults. */
const davitsPath = /^\/api\/v1\/|\.RunnerService\/Register$/;
const taskPath = /\.RunnerService\/FetchTask$/;
const slowestMs = 5000;

/**
 * Starts a proxy in front of a Gitea.
 *
 * @param target returns Gitea's own URL, called for each request
 * @param random from 0 to 1
 */
export async function startTroubledProxy(target: () => string, random: () => number): Promise<TroubledProxy> {
  const hits: Record<Trouble, number> = { none: 0, slow: 0, throttled: 0, failed: 0, answerLost: 0 };
  const fetching = new Set<Promise<unknown>>();
  let isCalm = false;
  let isBetweenTasks = false;

  function troubleOf(path: string): Trouble {
    if (isCalm || !davitsPath.test(path)) return 'none';
    const draw = random();
    if (draw < 0.15) return 'slow';
    if (draw < 0.25) return 'throttled';
    if (draw < 0.35) return 'failed';
    return draw < 0.4 ? 'answerLost' : 'none';
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const trouble = troubleOf(request.url ?? '');
    hits[trouble] += 1;
    if (trouble === 'slow') await sleep(random() * slowestMs);
    if (trouble === 'throttled') return void response.writeHead(429, { 'retry-after': '1' }).end('slow down');
    if (trouble === 'failed') return void response.writeHead(500).end('it failed');
    const { status, headers, body: answered } = await forwardUnlessHeld(request, body);
    if (trouble === 'answerLost') response.destroy();
    else response.writeHead(status, headers).end(answered);
  }

  async function forwardUnlessHeld(request: IncomingMessage, body: Buffer): ReturnType<typeof forward> {
    if (!taskPath.test(request.url ?? '')) return forward(request, body);
    if (isBetweenTasks) throw new Error('no runner gets a task now');
    const forwarded = forward(request, body);
    fetching.add(forwarded);
    return forwarded.finally(() => fetching.delete(forwarded));
  }

  async function forward({ method, url, headers }: IncomingMessage, body: Buffer) {
    const onwards = sendRequest(`${target()}${url}`, { method, headers, agent: false });
    onwards.end(body);
    const [answered]: IncomingMessage[] = await once(onwards, 'response');
    if (answered === undefined) throw new Error('expected an answer');
    return { status: answered.statusCode ?? 500, headers: answered.headers, body: await buffer(answered) };
  }

  const server = await startLoopbackServer((request, response) => {
    // Gitea is away.
    answer(request, response).catch(() => response.writeHead(502).end('no answer from Gitea'));
  });
  return {
    ...server,
    hits,
    calm: () => {
      isCalm = true;
    },
    betweenTasks: async (work) => {
      isBetweenTasks = true;
      await Promise.allSettled(fetching);
      await work();
      isBetweenTasks = false;
    },
  };
}
