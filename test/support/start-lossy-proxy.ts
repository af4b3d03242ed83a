import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.ts';

/** A proxy that loses answers to writes. */
export interface LossyProxy {
  url: string;
  /** Lets the next write to DynamoDB through, and closes the connection instead of returning its answer. */
  loseNextWrite: () => void;
  stop: () => Promise<void>;
}

/** Starts a proxy in front of a DynamoDB. @param target the service's URL, without a path */
export async function startLossyProxy(target: string): Promise<LossyProxy> {
  let lose = false;
  const server = createServer((request, response) => void forward(request, response));
  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The signature covers the host: forward the headers unchanged.
    const onwards = sendRequest(target, { method: 'POST', headers: request.headers });
    onwards.end(await buffer(request));
    const [answer]: IncomingMessage[] = await once(onwards, 'response');
    if (answer === undefined) throw new Error('expected an answer');
    const answerBody = await buffer(answer);
    if (lose && isWrite(request)) {
      lose = false;
      response.destroy();
    } else {
      response.writeHead(answer.statusCode ?? 500, answer.headers).end(answerBody);
    }
  }

  const { url, stop } = await listen(server);
  return {
    url,
    loseNextWrite() {
      lose = true;
    },
    stop,
  };
}

function isWrite({ headers }: IncomingMessage): boolean {
  const target = headers['x-amz-target'];
  return typeof target === 'string' && /(Put|Update)Item$/.test(target);
}
