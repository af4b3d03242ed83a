import { join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { type LoopbackServer, stopOnce } from '../../../local/loopback-server.ts';
import { startAwsJsonServer } from '../aws-json-server.ts';
import { defaultSecretAccessKey } from '../request-signature.ts';
import { addIndexes } from './add-indexes.ts';
import { createTables } from './create-tables.ts';
import { lockDirectory } from './directory-lock.ts';
import { dynamoDbOperations, openStore } from './operations.ts';
import { rebuildIndexes } from './rebuild-indexes.ts';
import { type StreamRecord, streamTables } from './table-streams.ts';

/** The settings of the local DynamoDB. */
export interface DynamoDbServerOptions {
  /** The runtime's state directory, locked while this runs. Without one, the data is in memory. */
  directory?: string;
  /** @default 0, any free port */
  port?: number;
  /** As in the AWS JSON server. */
  secretAccessKey?: string;
  /** As in the AWS JSON server. */
  isThrottled?: ((operation: string) => boolean) | undefined;
}

/** A running DynamoDB. */
export interface DynamoDbServer extends LoopbackServer {
  /** Creates the tables and the indexes that do not exist yet, and rebuilds the other indexes. Resolves when all are ACTIVE. */
  createTables(definitions: readonly CreateTableCommandInput[]): Promise<void>;
  /** Calls a listener with each new put or update of an item in these tables. */
  stream(tables: readonly CreateTableCommandInput[], onChange: (record: StreamRecord) => void): Disposable;
}

/**
 * Starts DynamoDB in this process: dynalite's store and operations behind davit's own server. Dynalite's server reports
 * no writes and throws when a client disconnects. This has no TTL and no transactions.
 *
 * @throws Error if another runtime uses the directory.
 */
export async function startDynamoDbServer(options: DynamoDbServerOptions = {}): Promise<DynamoDbServer> {
  const { directory, port = 0, secretAccessKey = defaultSecretAccessKey, isThrottled } = options;
  await using started = new AsyncDisposableStack();
  if (directory !== undefined) {
    const lock = lockDirectory(directory);
    started.defer(() => lock.release());
  }
  const store = openStore(directory === undefined ? undefined : join(directory, 'dynamodb'));
  started.defer(() => store.lifecycleManager.gracefulClose());
  const server = started.use(
    await startAwsJsonServer({
      targetPrefix: 'DynamoDB_20120810',
      jsonVersion: '1.0',
      operations: dynamoDbOperations(store),
      port,
      secretAccessKey,
      isThrottled,
    }),
  );
  const running = started.move();
  const stop = stopOnce(() => running.disposeAsync());
  return {
    ...server,
    createTables: async (all) => {
      await createTables(store, all);
      for (const definition of all) {
        await addIndexes(store, definition);
        await rebuildIndexes(store, definition.TableName ?? '');
      }
    },
    stream: (tables, onChange) => streamTables(store, tables, onChange),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
