import type { IncomingMessage, ServerResponse } from 'node:http';
import { startLoopbackServer } from '../../../local/loopback-server.ts';
import type { Said } from './judge.ts';

/** Hears what agents say, and tells them when they may go on. */
export interface Recorder extends AsyncDisposable {
  /** As agents reach it. */
  url: string;
  said: Said[];
  /** Resolves when a container may start its agent, with whether the agent connects. */
  onStarted: (uid: string) => Promise<boolean>;
  /** Resolves when a job that has begun may go on. */
  onBegins: (job: string) => Promise<void>;
}

/**
 * The first lines of an agent's container, in front of its own program: the container says that it runs. An agent that
 * may not connect waits for ever. `AGENT_UID` is the Pod's uid.
 */
export function startScript(url: string): string {
  const waits = 'while :; do sleep 3600 & wait $!; done';
  return `trap 'exit 0' TERM; [ "$(curl -s -X POST ${url}/started/$AGENT_UID)" = go ] || { ${waits}; }`;
}

/** A job: it says that it begins, goes on when it may, works for a second, and says that it ends. `$1` is its name. */
export function jobScript(url: string): string {
  const say = (event: string) => `curl -sf -X POST ${url}/${event}/$AGENT_UID/$1`;
  return `${say('begins')} && sleep 1 && ${say('ends')}`;
}

const path = /^\/(started|begins|ends)\/([^/]+)(?:\/([^/]+))?$/;

/** @param host this machine's address for Pods */
export async function startRecorder(host: string): Promise<Recorder> {
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, event = '', uid = '', job] = path.exec(request.url ?? '') ?? [];
    const atEpochMs = Date.now();
    if (event === 'started') {
      recorder.said.push({ event, uid, atEpochMs });
      response.end((await recorder.onStarted(uid)) ? 'go' : 'wait');
    } else if (event === 'begins' || event === 'ends') {
      recorder.said.push({ event, uid, job, atEpochMs });
      if (event === 'begins') await recorder.onBegins(job ?? '');
      response.end();
    } else response.writeHead(404).end();
  }

  const server = await startLoopbackServer((request, response) => void answer(request, response), { host });
  const recorder: Recorder = {
    url: server.url,
    said: [],
    onStarted: async () => true,
    onBegins: async () => {},
    [Symbol.asyncDispose]: () => server.stop(),
  };
  return recorder;
}
