import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SweepReport, SweepReport as SweepReportSchema } from '../../../functions/sweep/sweep-report.ts';
import { createGithubWebhooks, type GithubWebhooks } from '../../../local/github/github-webhooks.ts';
import { createLaunchesClient, type LaunchesClient } from '../../support/launches-client.ts';
import { type Ask, type DavitStart, Held, Message, Observation, type StateEvent } from './messages.ts';

/** A davit in a separate process. */
export interface LiveDavit extends AsyncDisposable {
  /** The URL of its API, also for agents. */
  url: string;
  github: GithubWebhooks;
  launches: LaunchesClient;
  /** Subscribes to its executions' events. @returns a function that unsubscribes */
  onEvent(listener: (event: StateEvent) => void): () => void;
  observe(): Promise<Observation>;
  held(): Promise<Held>;
  sweep(event: { dryRun: boolean; graceSeconds: number }): Promise<SweepReport>;
  /** Reconciles and sweeps once, without grace. @returns the report of the sweep */
  round(): Promise<SweepReport>;
  /** Kills it with SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<void>;
}

const main = fileURLToPath(new URL('./davit-main.ts', import.meta.url));

/**
 * Starts the local runtime in a separate process, on a real cluster.
 *
 * @param heard called with every message of the process, from its start on
 * @throws Error when it ends before it is ready
 */
export async function startLiveDavit(
  start: DavitStart,
  heard: (message: Message) => void = () => {},
): Promise<LiveDavit> {
  const child = fork(main, [JSON.stringify(start)], {
    execArgv: ['--expose-gc'],
    // A restarted davit finds its code compiled: it starts in half the time.
    env: { ...process.env, NODE_COMPILE_CACHE: join(start.stateDirectory, 'compiled') },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const listeners = new Set<(event: StateEvent) => void>();
  const answers = new Map<number, PromiseWithResolvers<unknown>>();
  const ready = Promise.withResolvers<Extract<Message, { type: 'ready' }>>();
  let lastId = 0;

  child.on('message', (received) => {
    const message = Message.parse(received);
    heard(message);
    if (message.type === 'ready') ready.resolve(message);
    else if (message.type === 'answer') answers.get(message.id)?.resolve(message.answer);
    else if (message.type === 'event') for (const listener of listeners) listener(message.event);
  });
  const exit = Promise.withResolvers<void>();
  child.once('exit', (exitCode, signal) => {
    exit.resolve();
    const error = new Error(`davit has ended (${exitCode ?? signal})`);
    ready.reject(error);
    for (const { reject } of answers.values()) reject(error);
  });
  const kill = async () => {
    child.kill('SIGKILL');
    await exit.promise;
  };
  const ask = async (question: Ask): Promise<unknown> => {
    lastId += 1;
    const id = lastId;
    const answer = Promise.withResolvers<unknown>();
    answers.set(id, answer);
    child.send({ id, question }, (error) => error && answer.reject(error));
    return answer.promise.finally(() => answers.delete(id));
  };

  const { url, webhookSecret, launchesToken } = await ready.promise;
  return {
    url,
    github: createGithubWebhooks(`${url}/webhooks/github`, webhookSecret),
    launches: createLaunchesClient(url, launchesToken),
    onEvent: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    observe: async () => Observation.parse(await ask({ ask: 'observe' })),
    held: async () => Held.parse(await ask({ ask: 'held' })),
    sweep: async (event) => SweepReportSchema.parse(await ask({ ask: 'sweep', event })),
    round: async () => SweepReportSchema.parse(await ask({ ask: 'round' })),
    kill,
    ended: exit.promise,
    [Symbol.asyncDispose]: kill,
  };
}
