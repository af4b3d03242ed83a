import * as z from 'zod';
import type { AwsOperation } from '../aws-json-server.ts';
import { AwsServiceError } from '../aws-service-error.ts';

const Write = z.looseObject({ TableName: z.string() });
const Put = Write.extend({ Item: z.record(z.string(), z.unknown()) });
const Delete = Write.extend({ Key: z.record(z.string(), z.unknown()) });
const Input = z.object({
  TransactItems: z
    .array(z.union([z.strictObject({ Put }), z.strictObject({ Delete })]))
    .min(1)
    .max(100),
});

const Written = z.object({ Attributes: z.record(z.string(), z.unknown()).optional() });

/** The operations that a transaction is made of. */
export interface SingleWrites {
  put: AwsOperation;
  delete: AwsOperation;
}

/**
 * Makes the operation TransactWriteItems of single writes: it makes all of them, and takes them back if a condition of one
 * does not hold. dynalite has no transactions. Whoever calls it keeps other operations out meanwhile.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export function transactWrite(writes: SingleWrites): AwsOperation {
  return async (request) => {
    const { TransactItems: parts } = Input.parse(request);
    const undo: (() => unknown)[] = [];
    const reasons: { Code: string }[] = [];
    for (const part of parts) {
      try {
        undo.push(await write(writes, part));
        reasons.push({ Code: 'None' });
      } catch (error) {
        if (!(error instanceof AwsServiceError) || error.name !== 'ConditionalCheckFailedException') throw error;
        reasons.push({ Code: 'ConditionalCheckFailed' });
      }
    }
    if (reasons.every(({ Code }) => Code === 'None')) return {};
    for (const takeBack of undo.toReversed()) await takeBack();
    const codes = reasons.map(({ Code }) => Code).join(', ');
    throw new AwsServiceError(
      'TransactionCanceledException',
      `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
      400,
      { CancellationReasons: reasons },
    );
  };
}

type Part = z.infer<typeof Input>['TransactItems'][number];

/** Makes one write. @returns what takes it back */
async function write(writes: SingleWrites, part: Part): Promise<() => unknown> {
  const old = { ReturnValues: 'ALL_OLD' };
  if ('Delete' in part) {
    const { TableName } = part.Delete;
    const { Attributes: Item } = Written.parse(await writes.delete({ ...part.Delete, ...old }));
    return () => Item && writes.put({ TableName, Item });
  }
  const { TableName, Item } = part.Put;
  const { Attributes } = Written.parse(await writes.put({ ...part.Put, ...old }));
  // The keys of the tables of davit's that have transactions.
  const Key = { partition: Item['partition'], item: Item['item'] };
  return () =>
    Attributes === undefined ? writes.delete({ TableName, Key }) : writes.put({ TableName, Item: Attributes });
}
