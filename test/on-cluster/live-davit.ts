import { fork } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FunctionName } from '../../functions/manifest.ts';
import type { SweepReport } from '../../functions/sweep/sweep-report.ts';
import { SweepReport as SweepReportSchema } from '../../functions/sweep/sweep-report.ts';
import { createGithubServer, type GithubServer } from '../../local/demo/github-server.ts';
import { createLaunchesClient, type LaunchesClient } from '../support/launches-client.ts';
import { type Ask, type DavitStart, Message, Observation, type StateEvent } from './messages.ts';

/** A davit in a process of its own. */
export interface LiveDavit extends AsyncDisposable {
  /** Of its API, as agents reach it too. */
  url: string;
  github: GithubServer;
  launches: LaunchesClient;
  /** Hears of what its executions do. @returns how to stop it */
  onEvent(listener: (event: StateEvent) => void): () => void;
  observe(): Promise<Observation>;
  killFunction(name: FunctionName): Promise<void>;
  sweep(event: { dryRun: boolean; graceSeconds: number }): Promise<SweepReport>;
  /** With SIGKILL. Returns when it is gone. */
  kill(): Promise<void>;
  /** Resolves when it is gone, whatever ended it. */
  ended: Promise<void>;
}

const main = fileURLToPath(new URL('./davit-main.ts', import.meta.url));

/**
 * Starts the local runtime in a process of its own, on a real cluster.
 *
 * @param heard hears of everything that it says, from its first moment on
 * @throws Error when it ends before it is ready
 */
export async function startLiveDavit(
  start: DavitStart,
  heard: (message: Message) => void = () => {},
): Promise<LiveDavit> {
  const child = fork(main, [JSON.stringify(start)], {
    // `npm run local` bounds its new objects alike: V8 would let them have 48 MiB in time.
    execArgv: ['--expose-gc', '--max-semi-space-size=4'],
    // One that was killed and is started again finds its code compiled: it comes up in half the time.
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
    github: createGithubServer(`${url}/webhooks/github`, webhookSecret),
    launches: createLaunchesClient(url, launchesToken),
    onEvent: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    observe: async () => Observation.parse(await ask({ ask: 'observe' })),
    killFunction: async (name) => void (await ask({ ask: 'killFunction', name })),
    sweep: async (event) => SweepReportSchema.parse(await ask({ ask: 'sweep', event })),
    kill,
    ended: exit.promise,
    [Symbol.asyncDispose]: kill,
  };
}
