import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AwsSettings } from '../../functions/adapters/aws/client-settings.ts';
import { localAws } from '../../local/local-aws.ts';

/**
 * What a scripted service does with a request: answers it, closes the connection without a word, stops in the middle
 * of the body, or never answers.
 */
export type ScriptedAnswer =
  | { status: number; body: string; headers?: Record<string, string> }
  | 'reset'
  | 'stalled body'
  | 'silence';

/** A request as it came. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** An AWS service that says what a test tells it to. */
export interface ScriptedAws {
  url: string;
  /** What a client is made with that reaches it, and that takes its first answer for the last. */
  settings: AwsSettings;
  requests: SeenRequest[];
  stop(): Promise<void>;
}

/** Makes an answer as AWS's JSON protocols word errors. */
export function awsError(status: number, type: string, message: string): ScriptedAnswer {
  return {
    status,
    headers: { 'x-amzn-errortype': type, 'x-amzn-requestid': 'request-7' },
    body: JSON.stringify({ __type: type, message }),
  };
}

/** Makes the answer to a call that worked. */
export function awsOutput(output: Record<string, unknown>): ScriptedAnswer {
  return { status: 200, body: JSON.stringify(output) };
}

/** Starts a service that gives the answers in their order, and the last one again and again. */
export async function startScriptedAws(answers: ScriptedAnswer[]): Promise<ScriptedAws> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void answerNext(request, response);
  });
  async function answerNext(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    give(answer ?? 'reset', response);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a TCP address');
  const url = `http://127.0.0.1:${address.port}`;
  return {
    url,
    settings: { ...localAws(url), maxAttempts: 1 },
    requests,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function give(answer: ScriptedAnswer, response: ServerResponse): void {
  if (answer === 'silence') return;
  if (answer === 'reset') {
    response.destroy();
  } else if (answer === 'stalled body') {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{');
  } else {
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
}
