import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Sends a GET as a browser does, which resolves each name under `.localhost` to this machine. Follows no redirect. */
export async function getLocalhost(
  url: URL,
  headers: Record<string, string> = {},
): Promise<{ answer: IncomingMessage; body: Buffer }> {
  const path = url.pathname + url.search;
  const options = { host: '127.0.0.1', port: url.port, path, headers: { ...headers, host: url.host } };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(options, resolve).on('error', reject).end();
  });
  return { answer, body: await buffer(answer) };
}
