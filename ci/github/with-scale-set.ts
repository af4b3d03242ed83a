import { setTimeout as wait } from 'node:timers/promises';
import type { CiRunner, CiScope } from '../../core/ci/ci-scope.ts';
import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import { present } from '../../core/present.ts';
import * as z from '../../core/zod.ts';
import type { CiInspection } from '../../ports/ci-inspection.ts';
import type { CiSystem, NewRunner, Registration, RunnerRemoval } from '../../ports/ci-system.ts';
import type { JobQueue, QueuedRunners } from '../../ports/job-queue.ts';
import type { QueueRemoval } from '../../ports/queue-removal.ts';
import { createAgedCache } from '../../runtime/aged-cache.ts';
import { callCi } from '../ci-http.ts';
import type { ScaleSetConfig } from './config.ts';
import type { Github } from './github.ts';
import type { GithubOptions } from './github-api.ts';
import { readScaleSetMessage, ScaleSetMessage } from './scale-set-message.ts';
import { ScaleSetService } from './scale-set-service.ts';
import { openScaleSets, setNotFound, setsPath } from './scale-sets.ts';

/** For how long a set counts as it was, in milliseconds. GitHub removes a set that is idle for days. */
const setMaxAgeMs = 5 * 60_000;

const agents = '/_apis/distributedtask/pools/0/agents';

const SetWanted = z.object({
  labels: z.array(z.string()),
  group: z.optional(z.string()),
  repositories: z.optional(z.array(z.string())),
  mayCorrect: z.boolean(),
});
const Session = z.object({ sessionId: z.string(), messageQueueUrl: z.string(), messageQueueAccessToken: z.string() });
const Acquired = z.object({ value: z.array(z.int()) });
const Runner = z.object({ id: z.int(), name: z.string() });
const Runners = z.object({ value: z.array(Runner) });
const JitConfig = z.object({ runner: Runner, encodedJITConfig: z.string().check(z.minLength(1)) });

interface OpenSession {
  setId: number;
  id: string;
  queueUrl: string;
  token: string;
}

/** How a scale set is reached. */
export interface ScaleSetOptions extends Pick<GithubOptions, 'name' | 'apiUrl' | 'timeoutMs'> {
  /** GitHub's URL as people open it. */
  url: string;
  set: ScaleSetConfig;
  /** @default the time passes */
  sleep?: (ms: number) => Promise<unknown>;
  /** @default the system's */
  nowEpochMs?: () => number;
}

/**
 * Acts in a GitHub through a runner scale set: GitHub hands the set's jobs to davit in a queue of messages, and davit
 * registers and removes runners of that set alone. What a message does not say, GitHub's REST API does.
 *
 * The set, the session and the runners are GitHub's own, made and removed by the requests of GitHub's own client. In
 * preview: it has run against a fake only, see docs/compatibility.md.
 *
 * @see https://github.com/actions/scaleset and docs/adr/0039
 */
export function withScaleSet(
  github: Github,
  options: ScaleSetOptions,
): CiSystem & CiInspection & QueueRemoval & { jobQueue: JobQueue } & Required<Pick<CiInspection, 'checkQueue'>> {
  const { name, sleep = wait, nowEpochMs = Date.now } = options;
  const setName = options.set.name ?? name;
  const scope = scopeOf(options.set);
  const registrationToken = () => github.registrationToken(scope);
  const service = new ScaleSetService({ ...options, scope, registrationToken, sleep, nowEpochMs });
  const sets = openScaleSets({ name, setName, scope, service, checkGroup: (...asked) => github.checkGroup(...asked) });
  let session: OpenSession | undefined;

  const setIds = createAgedCache<number>({
    load: async (key) => {
      const { mayCorrect, ...runners } = SetWanted.parse(JSON.parse(key));
      return sets.put(present(runners), mayCorrect);
    },
    maxAgeMs: setMaxAgeMs,
    nowEpochMs,
  });

  /**
   * @param earlier the ids of sessions that may still last, the likeliest first
   * @returns undefined for a set that is removed
   */
  async function openSession(setId: number, earlier: readonly string[]): Promise<OpenSession | undefined> {
    for (const id of new Set(earlier)) {
      const known = await renewed(setId, id);
      if (known !== undefined) return known;
    }
    const request = { method: 'POST' as const, path: `${setsPath}/${setId}/sessions`, body: { ownerName: 'davit' } };
    const exceptions = ['RunnerScaleSetSessionConflictException', setNotFound];
    const { answer, exception } = await service.call(request, exceptions);
    if (answer !== undefined) return sessionOf(setId, service.parse(request, Session, answer.body));
    if (exception === setNotFound) return undefined;
    const who = 'another davit, or another program, has the session of the scale set';
    const detail = `${name}: ${who} ${setName}: davit waits until it has ended, or until GitHub has ended it`;
    throw new TransientError('CiUnavailable', detail);
  }

  /** Goes on with a session: only its refreshed token is new. @returns undefined for one that has ended */
  async function renewed(setId: number, sessionId: string): Promise<OpenSession | undefined> {
    const request = {
      method: 'PATCH' as const,
      path: `${setsPath}/${setId}/sessions/${encodeURIComponent(sessionId)}`,
    };
    try {
      return sessionOf(setId, await service.read(request, Session));
    } catch (error) {
      if (error instanceof TerminalError) return undefined;
      throw error;
    }
  }

  function openOne(): OpenSession {
    if (session === undefined) throw new TransientError('CiUnavailable', `${name}: no session is open`);
    return session;
  }

  const sessionToken = async () => openOne().token;

  /** Replaces the session's token, which is valid for less long than the session. */
  async function renewToken(): Promise<void> {
    const { setId, id } = openOne();
    session = await renewed(setId, id);
    if (session === undefined) throw new TransientError('CiUnavailable', `${name}: GitHub has ended the session ${id}`);
  }

  /** A connection to the message queue, which has a URL of its own. */
  function queueConnection(timeoutMs: number, more: { signal?: AbortSignal; capacity?: number } = {}) {
    const origin = new URL(openOne().queueUrl).origin;
    return {
      ...service.connectionTo(origin, sessionToken),
      headers: async () => ({
        accept: 'application/json; api-version=6.0-preview',
        authorization: `Bearer ${await sessionToken()}`,
        ...(more.capacity === undefined ? {} : { 'x-scalesetmaxcapacity': `${more.capacity}` }),
      }),
      renew: renewToken,
      timeoutMs,
      ...present({ signal: more.signal }),
    };
  }

  const jobQueue: JobQueue = {
    open: async (runners, sessionId) => {
      const key = keyOf(runners, true);
      const setId = await setIds.get(key);
      if (session === undefined || session.id !== sessionId || session.setId !== setId) {
        // One that this process has opened may not be stored: the table did not answer.
        const own = session?.setId === setId ? session.id : undefined;
        const earlier = [sessionId, own].filter((id) => id !== undefined);
        session = (await openSession(setId, earlier)) ?? (await openSession(await setIds.reload(key), []));
      }
      return openOne().id;
    },
    next: async ({ lastMessageId, capacity, waitMs, stopping }) => {
      const url = new URL(openOne().queueUrl);
      if (lastMessageId > 0) url.searchParams.set('lastMessageId', `${lastMessageId}`);
      const request = { method: 'GET' as const, path: `${url.pathname}${url.search}` };
      const connection = queueConnection(waitMs, { capacity, ...present({ signal: stopping }) });
      try {
        const answer = await callCi(connection, request);
        // 202: no message came within some 50 s.
        if (answer.status !== 200) return undefined;
        return readScaleSetMessage(service.parse(request, ScaleSetMessage, answer.body));
      } catch (error) {
        // A message that was on its way comes again.
        if (isEndOfWait(error)) return undefined;
        // GitHub does not know the session any more. The next call opens another one.
        if (error instanceof TerminalError) session = undefined;
        throw error;
      }
    },
    acquire: async (offers) => {
      const path = `${setsPath}/${openOne().setId}/acquirejobs`;
      const request = { method: 'POST' as const, path, body: offers };
      const { body } = await service.callAs(sessionToken, renewToken, request);
      return service.parse(request, Acquired, body).value;
    },
    acknowledge: async (messageId) => {
      const url = new URL(openOne().queueUrl);
      const path = `${url.pathname}/${messageId}${url.search}`;
      await callCi(queueConnection(options.timeoutMs), { method: 'DELETE', path, expect: [404] });
    },
  };

  async function register(_scope: CiScope, runner: NewRunner): Promise<Registration> {
    const setId = await setIds.get(keyOf(runner, false));
    const body = { name: runner.name, workFolder: '_work' };
    const request = { method: 'POST' as const, path: `${setsPath}/${setId}/generatejitconfig`, body };
    const { answer } = await service.call(request, ['AgentExistsException']);
    if (answer === undefined) throw new TransientError('WriteConflict', `${name}: a runner ${runner.name} exists`);
    const made = service.parse(request, JitConfig, answer.body);
    return { runner: made.runner, environment: { ACTIONS_RUNNER_INPUT_JITCONFIG: made.encodedJITConfig } };
  }

  async function removeIfIdle(_scope: CiScope, runnerId: number): Promise<RunnerRemoval> {
    const request = { method: 'DELETE' as const, path: `${agents}/${runnerId}` };
    const { exception } = await service.call(request, ['JobStillRunningException', 'AgentNotFoundException']);
    if (exception === undefined) return 'removed';
    return exception === 'JobStillRunningException' ? 'busy' : 'gone';
  }

  async function getRunner(_scope: CiScope, runnerId: number): Promise<CiRunner | undefined> {
    const request = { method: 'GET' as const, path: `${agents}/${runnerId}` };
    const { answer } = await service.call(request, ['AgentNotFoundException']);
    return answer && service.parse(request, Runner, answer.body);
  }

  return {
    ...github,
    register,
    removeIfIdle,
    getRunner,
    runnersNamed: async (_scope, runnerName) => {
      const path = `${agents}?agentName=${encodeURIComponent(runnerName)}`;
      return (await service.read({ method: 'GET', path }, Runners)).value;
    },
    // No webhook is expected, so none is asked for again.
    listDeliveries: async () => ({ attempts: [] }),
    listWebhooks: async () => [],
    jobQueue,
    checkQueue: (runners) => sets.check(runners),
    queueUse: (group) => sets.queueUse(group),
    removeQueue: (group) => sets.removeQueue(group),
  };
}

/** Names a set in the cache of its ids. @param mayCorrect whether the labels are those of davit.yaml now: a launch may be older than its profile */
function keyOf({ labels, group, repositories }: QueuedRunners, mayCorrect: boolean): string {
  return JSON.stringify({ labels, group, repositories, mayCorrect });
}

function scopeOf({ organization, repository = '' }: ScaleSetConfig): CiScope {
  if (organization !== undefined) return { organization };
  const [owner = '', name = ''] = repository.split('/');
  return { repository: { owner, name } };
}

function sessionOf(setId: number, session: z.infer<typeof Session>): OpenSession {
  const { sessionId: id, messageQueueUrl: queueUrl, messageQueueAccessToken: token } = session;
  return { setId, id, queueUrl, token };
}

function isEndOfWait(error: unknown): boolean {
  const { cause } = error instanceof TransientError ? error : {};
  return cause instanceof Error && (cause.name === 'TimeoutError' || cause.name === 'AbortError');
}
