import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { type LoopbackServer, listen, stopOnce } from '../loopback-server.ts';
import { createTables } from './create-tables.ts';
import { lockDirectory } from './directory-lock.ts';
import { type StreamRecord, streamTables, type TableStreams } from './table-streams.ts';

/** Where the local DynamoDB keeps its data and listens. */
export interface DynamoDbServerOptions {
  /** The runtime's state directory, locked while this runs; without one the data is in memory. */
  directory?: string;
  /** @default 0, any free port */
  port?: number;
}

/** A running DynamoDB. */
export interface DynamoDbServer extends LoopbackServer {
  /** Creates the tables that do not exist yet; resolves when all are ACTIVE. */
  createTables(definitions: readonly CreateTableCommandInput[]): Promise<void>;
  /** Tells of each item of these tables that is put or updated from now on. */
  stream(tables: readonly CreateTableCommandInput[], onChange: (record: StreamRecord) => void): Promise<TableStreams>;
}

/** Requests that are being answered when it stops have half a second. */
const mostWaits = 50;
const waitMs = 10;

const INSTANT = { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 };

/**
 * Starts DynamoDB (dynalite) in this process. It has no TTL and no transactions, and its streams are ours.
 *
 * @throws Error when another runtime uses the directory.
 */
export async function startDynamoDbServer(options: DynamoDbServerOptions = {}): Promise<DynamoDbServer> {
  const { directory } = options;
  const lock = directory === undefined ? undefined : lockDirectory(directory);
  const server = dynalite({ ...INSTANT, ...(directory !== undefined && { path: join(directory, 'dynamodb') }) });
  surviveClientErrors(server);
  const answering = new Set<ServerResponse>();
  server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    answering.add(response);
    response.once('close', () => answering.delete(response));
  });
  const { port } = await listen(server, options.port ?? 0, '127.0.0.1').catch((error: unknown) => {
    lock?.release();
    throw error;
  });
  const url = `http://127.0.0.1:${port}`;

  const stop = stopOnce(async () => {
    // A request that finds its database closed makes dynalite throw, which would take this process along.
    for (let waits = 0; answering.size > 0 && waits < mostWaits; waits += 1) await sleep(waitMs);
    await new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
    lock?.release();
  });
  return {
    url,
    port,
    createTables: (all) => createTables(url, all),
    stream: (tables, onChange) => streamTables({ server, url, tables, onChange }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** dynalite throws when a client goes away in the middle of a request, which would take this process along. */
function surviveClientErrors(server: ReturnType<typeof dynalite>): void {
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    request.removeAllListeners('error');
    request.on('error', () => response.destroy());
  });
}
