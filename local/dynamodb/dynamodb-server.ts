import { join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { startAwsJsonServer } from '../aws-json-server.ts';
import { type LoopbackServer, stopOnce } from '../loopback-server.ts';
import { createTables } from './create-tables.ts';
import { lockDirectory } from './directory-lock.ts';
import { dynamoDbOperations, openStore } from './operations.ts';
import { type StreamRecord, streamTables } from './table-streams.ts';

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
  stream(tables: readonly CreateTableCommandInput[], onChange: (record: StreamRecord) => void): Disposable;
}

/**
 * Starts DynamoDB in this process: dynalite's store and operations behind our server, since its own tells nobody what is
 * written, and throws when a client goes away. It has no TTL and no transactions.
 *
 * @throws Error when another runtime uses the directory.
 */
export async function startDynamoDbServer(options: DynamoDbServerOptions = {}): Promise<DynamoDbServer> {
  const { directory, port = 0 } = options;
  await using started = new AsyncDisposableStack();
  if (directory !== undefined) {
    const lock = lockDirectory(directory);
    started.defer(() => lock.release());
  }
  const store = openStore(directory === undefined ? undefined : join(directory, 'dynamodb'));
  started.defer(() => store.lifecycleManager.gracefulClose());
  const operations = dynamoDbOperations(store);
  const server = started.use(
    await startAwsJsonServer({ targetPrefix: 'DynamoDB_20120810', jsonVersion: '1.0', operations, port }),
  );
  const { url } = server;
  const running = started.move();
  const stop = stopOnce(() => running.disposeAsync());
  return {
    ...server,
    createTables: (all) => createTables(url, all),
    stream: (tables, onChange) => streamTables(store, tables, onChange),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
