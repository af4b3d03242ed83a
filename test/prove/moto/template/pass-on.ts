import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Sends a received request on to another server.
 *
 * @param body in place of the received one, which is read already
 * @param headers the names of the headers that go with it
 * @param added further headers
 */
export async function passOn(
  { method = 'GET', url = '/', headers: received }: IncomingMessage,
  body: Buffer | string,
  { to, headers, added = {} }: { to: string; headers: RegExp; added?: Record<string, string> },
): Promise<Response> {
  const kept = Object.entries(received).flatMap(([name, value]) =>
    typeof value === 'string' && headers.test(name) ? [[name, value] as const] : [],
  );
  return await fetch(`${to}${url}`, {
    method,
    headers: { ...Object.fromEntries(kept), ...added },
    ...(body.length === 0 ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  });
}

/** Every header but those of the connection, which `fetch` makes. */
export const endToEnd = /^(?!(?:connection|content-length|expect|host)$)/;

/** Answers as another server did, whose body `fetch` has decoded. @param body in place of the other's */
export async function answerAs(response: ServerResponse, answered: Response, body?: string): Promise<void> {
  const { 'content-encoding': _encoding, 'content-length': _length, ...kept } = Object.fromEntries(answered.headers);
  response.writeHead(answered.status, kept).end(body ?? Buffer.from(await answered.arrayBuffer()));
}
