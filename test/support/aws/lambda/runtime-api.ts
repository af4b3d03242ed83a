import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';
import { readRequestBody } from '../../../../local/request-body.ts';
import type { FunctionErrorPayload } from '../../../../local/runtime/invocation.ts';

/** One invocation, as a runtime receives it. */
export interface RuntimeInvocation {
  requestId: string;
  eventJson: string;
  deadlineEpochMs: number;
  functionArn: string;
}

/** A message of a runtime. */
export interface RuntimeListener {
  /** The runtime has loaded, or has finished an invocation, and asks for the next one. */
  onNext(): void;
  onInitError(error: FunctionErrorPayload): void;
  onResponse(requestId: string, resultJson: string): void;
  onError(requestId: string, error: FunctionErrorPayload): void;
}

/** The Runtime API for one runtime. */
export interface RuntimeApi extends LoopbackServer {
  /** Answers the runtime's request for its next invocation, now or when it asks next. */
  give(invocation: RuntimeInvocation): void;
}

const ErrorPayload = z.object({ errorType: z.string(), errorMessage: z.string(), trace: z.array(z.string()) });

/** The maximum length of a result that this reads. The host refuses a result that is too large. */
const maxBodyBytes = 64 * 1024 * 1024;

/**
 * Serves Lambda's Runtime API, version 2018-06-01, to one runtime.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function startRuntimeApi(listener: RuntimeListener): Promise<RuntimeApi> {
  let next = Promise.withResolvers<RuntimeInvocation>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, id = '', what] = runtimePath.exec(request.url ?? '') ?? [];
    if (what === undefined) return void response.writeHead(404).end();
    if (what === 'next') {
      listener.onNext();
      giveTo(response, await next.promise);
      next = Promise.withResolvers();
      return;
    }
    const body = (await readRequestBody(request, maxBodyBytes)).toString();
    response.writeHead(202).end();
    if (what === 'response') listener.onResponse(id, body);
    else if (id === 'init') listener.onInitError(ErrorPayload.parse(JSON.parse(body)));
    else listener.onError(id, ErrorPayload.parse(JSON.parse(body)));
  }

  const server = await startLoopbackServer((request, response) => {
    // The exit of a runtime shows that it died during a request. This closes the connection on malformed requests.
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  return { ...server, give: (invocation) => next.resolve(invocation) };
}

/** `invocation/next`, `invocation/<id>/response`, `invocation/<id>/error`, `init/error`. */
const runtimePath = /^\/2018-06-01\/runtime\/(?:invocation\/)?(?:([^/]+)\/)?(next|response|error)$/;

function giveTo(response: ServerResponse, invocation: RuntimeInvocation): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': invocation.requestId,
    'lambda-runtime-deadline-ms': String(invocation.deadlineEpochMs),
    'lambda-runtime-invoked-function-arn': invocation.functionArn,
  });
  response.end(invocation.eventJson);
}
