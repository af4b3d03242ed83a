import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoopbackServer, startLoopbackServer } from '../../../../local/loopback-server.ts';

/** A relay between Gitea and davit that delivers late, or not at all. */
export interface Relay extends LoopbackServer {
  /** The number of lost deliveries. */
  lost(): number;
  /** davit's answers. */
  readonly answers: readonly { status: number; body: string }[];
  /** davit's answers other than 200 and 202. */
  readonly refused: readonly string[];
}

/** How a relay treats one delivery. */
export interface RelayRules {
  /** The destination: davit's current URL. */
  target: () => string;
  /** The delay of a delivery, in milliseconds; undefined loses it. */
  delayOf: () => number | undefined;
  /** Handles a delivery in davit's place. @returns whether it did. @default davit handles all deliveries */
  instead?: (payload: unknown) => Promise<boolean>;
}

/** Starts a relay for webhooks. It answers at once, so that a later delivery can overtake an earlier one. */
export async function startRelay({ target, delayOf, instead }: RelayRules): Promise<Relay> {
  let lost = 0;
  const refused: string[] = [];
  const answers: { status: number; body: string }[] = [];

  async function deliver(request: IncomingMessage, body: Buffer, delayMs: number): Promise<void> {
    await sleep(delayMs);
    if (await instead?.(JSON.parse(body.toString()))) return;
    const answer = await fetch(target(), { method: 'POST', headers: ownHeaders(request), body: new Uint8Array(body) });
    const said = { status: answer.status, body: await answer.text() };
    answers.push(said);
    if (!answer.ok) refused.push(`${said.status} ${said.body}`);
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
  return { ...server, lost: () => lost, refused, answers };
}

/** The headers with the CI system's signature and event type. */
function ownHeaders({ headers }: IncomingMessage): Headers {
  const own = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && (name.startsWith('x-') || name === 'content-type')) own.set(name, value);
  }
  return own;
}
