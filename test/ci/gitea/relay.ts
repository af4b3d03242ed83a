import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoopbackServer, startLoopbackServer } from '../../../local/loopback-server.ts';

/** What stands between Gitea and davit: it delivers late, or not at all. */
export interface Relay extends LoopbackServer {
  /** How many deliveries were lost. */
  lost(): number;
  /** What davit answered when it was neither 200 nor 202. */
  readonly refused: readonly string[];
}

/** How a relay treats one delivery. */
export interface RelayRules {
  /** Where it delivers to, as davit's URL is now. */
  target: () => string;
  /** The pause before a delivery, in milliseconds; undefined: it is lost. */
  delayOf: () => number | undefined;
}

/** Starts a relay for webhooks. It answers at once, so that a later delivery can overtake an earlier one. */
export async function startRelay({ target, delayOf }: RelayRules): Promise<Relay> {
  let lost = 0;
  const refused: string[] = [];

  async function deliver(request: IncomingMessage, body: Buffer, delayMs: number): Promise<void> {
    await sleep(delayMs);
    const answer = await fetch(target(), { method: 'POST', headers: ownHeaders(request), body: new Uint8Array(body) });
    if (!answer.ok) refused.push(`${answer.status} ${await answer.text()}`);
  }

  const server = await startLoopbackServer((request, response) => {
    const delayMs = delayOf();
    if (delayMs === undefined) lost += 1;
    buffer(request)
      .then((body) => {
        response.writeHead(delayMs === undefined ? 502 : 202).end();
        return delayMs === undefined ? undefined : deliver(request, body, delayMs);
      })
      .catch((error: unknown) => refused.push(String(error)));
  });
  return { ...server, lost: () => lost, refused };
}

/** The headers that the CI system signs and describes the event with. */
function ownHeaders({ headers }: IncomingMessage): Headers {
  const own = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (name.startsWith('x-') || name === 'content-type')) own.set(name, value);
  }
  return own;
}
