import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AwsSettings } from '../../adapters/aws/client-settings.ts';
import { localAws } from './aws/local-aws.ts';
import { listen } from './listen.ts';

/**
 * A scripted service's reaction to a request: answer it, close the connection, stop in the middle of the body, or never
 * answer.
 */
export type ScriptedAnswer =
  | { status: number; body: string; headers?: Record<string, string> }
  | 'reset'
  | 'stalled body'
  | 'silence';

/** A request as the service received it. */
export interface SeenRequest {
  method: string;
  path: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** An AWS service whose answers a test scripts. */
export interface ScriptedAws {
  url: string;
  /** Settings for a client that reaches the service and does not retry. */
  settings: AwsSettings;
  requests: SeenRequest[];
  stop(): Promise<void>;
}

/** Makes an error answer of AWS's JSON protocols. */
export function awsError(status: number, type: string, message: string): ScriptedAnswer {
  return {
    status,
    headers: { 'x-amzn-errortype': type, 'x-amzn-requestid': 'request-7' },
    body: JSON.stringify({ __type: type, message }),
  };
}

/** Makes a success answer. */
export function awsOutput(output: Record<string, unknown>): ScriptedAnswer {
  return { status: 200, body: JSON.stringify(output) };
}

/** Starts a service that gives the answers in order; the last one repeats. */
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
  const { url, stop } = await listen(server);
  return {
    url,
    settings: { ...localAws(url), maxAttempts: 1 },
    requests,
    stop,
  };
}

/** The services of a file's tests: each test starts at most one at a time, which ends with the test. */
export interface ScriptedAwsOfTests {
  start(...answers: ScriptedAnswer[]): Promise<ScriptedAws>;
  /** The requests to the one that was started last. */
  readonly requests: readonly SeenRequest[];
  stop(): Promise<void>;
}

/** Makes a file's services, and stops what its tests leave. */
export function scriptedAwsOfTests(): ScriptedAwsOfTests {
  let service: ScriptedAws | undefined;
  async function stop(): Promise<void> {
    await service?.stop();
    service = undefined;
  }
  afterEach(stop);
  return {
    async start(...answers) {
      await stop();
      service = await startScriptedAws(answers);
      return service;
    },
    get requests() {
      return service?.requests ?? [];
    },
    stop,
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
