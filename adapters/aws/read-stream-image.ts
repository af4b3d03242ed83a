import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from '../../core/zod.ts';

const Image = z.record(z.string(), z.custom<AttributeValue>());

/** Reads an item of a table's stream. @throws $ZodError, or Error for a value that is not DynamoDB's */
export function readStreamImage(image: unknown): unknown {
  return unmarshall(Image.parse(image));
}
