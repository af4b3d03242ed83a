import { join } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { type LoopbackServer, stopOnce } from '../../../../local/loopback-server.ts';
import { startAwsJsonServer } from '../aws-json-server.ts';
import { defaultSecretAccessKey } from '../request-signature.ts';
import { createTables } from './create-tables.ts';
import { dynamoDbOperations, openStore } from './operations.ts';
import { type StreamRecord, streamTables } from './table-streams.ts';

/** The settings of the local DynamoDB. */
export interface DynamoDbServerOptions {
  /** The folder for the data. Without one, the data is in memory. */
  directory?: string;
  /** As in the AWS JSON server. */
  secretAccessKey?: string;
  /** As in the AWS JSON server. */
  isThrottled?: ((operation: string) => boolean) | undefined;
}

/** A running DynamoDB. */
export interface DynamoDbServer extends LoopbackServer {
  /** Creates tables. Resolves when all are ACTIVE. */
  createTables(definitions: readonly CreateTableCommandInput[]): Promise<void>;
  /** Calls a listener with each new put or update of an item in these tables. */
  stream(tables: readonly CreateTableCommandInput[], onChange: (record: StreamRecord) => void): Disposable;
}

/**
 * Starts DynamoDB in this process: dynalite's store and operations behind davit's own server. Dynalite's server reports
 * no writes and throws when a client disconnects. This has no TTL.
 */
export async function startDynamoDbServer(options: DynamoDbServerOptions = {}): Promise<DynamoDbServer> {
  const { directory, secretAccessKey = defaultSecretAccessKey, isThrottled } = options;
  await using started = new AsyncDisposableStack();
  const store = openStore(directory === undefined ? undefined : join(directory, 'dynamodb'));
  started.defer(() => store.lifecycleManager.gracefulClose());
  const server = started.use(
    await startAwsJsonServer({
      targetPrefix: 'DynamoDB_20120810',
      jsonVersion: '1.0',
      operations: dynamoDbOperations(store),
      secretAccessKey,
      isThrottled,
    }),
  );
  const running = started.move();
  const stop = stopOnce(() => running.disposeAsync());
  return {
    ...server,
    createTables: (definitions) => createTables(store, definitions),
    stream: (tables, onChange) => streamTables(store, tables, onChange),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
