import { once } from 'node:events';
import { type IncomingMessage, type OutgoingHttpHeaders, request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** An answer of Hudson. */
export interface Answer {
  status: number;
  headers: OutgoingHttpHeaders;
  body: Buffer;
}

/** Makes a request to a Hudson at the other end of a Unix socket. */
export async function askHudson(
  socketPath: string,
  path: string,
  options: { method?: string; headers?: OutgoingHttpHeaders; body?: Buffer } = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options;
  const asked = sendRequest({ socketPath, path, method, headers, agent: false });
  asked.end(body);
  const [answered]: IncomingMessage[] = await once(asked, 'response');
  if (answered === undefined) throw new Error('expected an answer');
  const { 'transfer-encoding': _chunked, ...kept } = answered.headers;
  return { status: answered.statusCode ?? 500, headers: kept, body: await buffer(answered) };
}
