import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue, CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { DynamoDBClient, GetItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import type { JsonValue } from '../json-value.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';

type Item = Record<string, AttributeValue>;

/** One change of an item, as a table's stream tells it with new and old images. */
export interface StreamRecord {
  [key: string]: JsonValue;
  eventName: 'INSERT' | 'MODIFY';
  dynamodb: { SequenceNumber: string; [image: string]: JsonValue };
}

/** What hears of the changes of some tables. */
export interface TableStreamsOptions {
  server: Server;
  url: string;
  tables: readonly CreateTableCommandInput[];
  onChange: (record: StreamRecord) => void;
}

/** Streams of tables, until they are closed. */
export interface TableStreams extends AsyncDisposable {
  /** Resolves when everything that was written before is told. */
  settled(): Promise<void>;
}

const Write = z.object({
  TableName: z.string(),
  Key: z.record(z.string(), z.unknown()).optional(),
  Item: z.record(z.string(), z.unknown()).optional(),
});

/**
 * Tells of each item that is put or updated, since dynalite has no streams. An item is read when its write has been
 * answered, and compared with what was last told of it: two writes that come close together may be told as one.
 *
 * @returns when what there is already has been read
 */
export async function streamTables(options: TableStreamsOptions): Promise<TableStreams> {
  const client = new DynamoDBClient({
    endpoint: options.url,
    region: LOCAL_REGION,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const streams = new Map<string, TableStream>();
  for (const { TableName = '', KeySchema = [] } of options.tables) {
    const [keyName = ''] = KeySchema.flatMap(({ AttributeName }) => AttributeName ?? []);
    const stream = new TableStream(client, TableName, keyName, options.onChange);
    await stream.readAll();
    streams.set(TableName, stream);
  }
  const settled = async () => {
    await Promise.all([...streams.values()].map((stream) => stream.settled()));
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1];
    if (operation !== 'PutItem' && operation !== 'UpdateItem') return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('finish', () => {
      if (response.statusCode !== 200) return;
      const { TableName, Key, Item: item } = Write.parse(JSON.parse(Buffer.concat(chunks).toString()));
      streams.get(TableName)?.written(Key ?? item ?? {});
    });
  };
  options.server.on('request', listener);
  return {
    settled,
    [Symbol.asyncDispose]: async () => {
      options.server.off('request', listener);
      await settled();
      client.destroy();
    },
  };
}

class TableStream {
  readonly #client: DynamoDBClient;
  readonly #tableName: string;
  readonly #keyName: string;
  readonly #onChange: TableStreamsOptions['onChange'];
  /** Each item as it was last told of, by its key. */
  readonly #told = new Map<string, Item>();
  #last: Promise<void> = Promise.resolve();
  #sequenceNumber = 0;

  constructor(client: DynamoDBClient, tableName: string, keyName: string, onChange: TableStreamsOptions['onChange']) {
    this.#client = client;
    this.#tableName = tableName;
    this.#keyName = keyName;
    this.#onChange = onChange;
  }

  async readAll(): Promise<void> {
    for await (const { Items = [] } of paginateScan({ client: this.#client }, { TableName: this.#tableName })) {
      for (const item of Items) this.#told.set(this.#keyOf(item), item);
    }
  }

  written(item: Record<string, unknown>): void {
    const key = z.object({ S: z.string() }).parse(item[this.#keyName]).S;
    this.#last = this.#last.then(() => this.#tell(key));
  }

  settled(): Promise<void> {
    return this.#last;
  }

  async #tell(key: string): Promise<void> {
    const Key = { [this.#keyName]: { S: key } };
    const read = new GetItemCommand({ TableName: this.#tableName, Key, ConsistentRead: true });
    const { Item: item } = await this.#client.send(read);
    const before = this.#told.get(key);
    if (item === undefined || isDeepStrictEqual(before, item)) return;
    this.#told.set(key, item);
    this.#sequenceNumber += 1;
    const images = { Keys: Key, NewImage: item, ...(before === undefined ? {} : { OldImage: before }) };
    this.#onChange({
      eventName: before === undefined ? 'INSERT' : 'MODIFY',
      dynamodb: { SequenceNumber: `${this.#sequenceNumber}`, ...z.record(z.string(), z.json()).parse(images) },
    });
  }

  #keyOf(item: Item): string {
    return z.object({ S: z.string() }).parse(item[this.#keyName]).S;
  }
}
