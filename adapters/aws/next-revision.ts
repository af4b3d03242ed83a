import * as z from '../../core/zod.ts';
import type { ConditionalUpdate, Item } from './dynamo-table.ts';

const Revised = z.object({ revision: z.int() });

/**
 * Makes an update count the writes of its item, so that a trace can order them. An item without a revision gets the first.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
 */
export function withNextRevision(update: ConditionalUpdate): ConditionalUpdate {
  const set = 'SET #revision = if_not_exists(#revision, :no_revision) + :one_write';
  const { UpdateExpression: rest } = update;
  return {
    ...update,
    UpdateExpression: rest.startsWith('SET ') ? `${set}, ${rest.slice('SET '.length)}` : `${set} ${rest}`,
    ExpressionAttributeNames: { ...update.ExpressionAttributeNames, '#revision': 'revision' },
    ExpressionAttributeValues: { ...update.ExpressionAttributeValues, ':no_revision': 0, ':one_write': 1 },
  };
}

/** Reads the revision of an item that such an update has returned. */
export function revisionOf(item: Item): number {
  return Revised.parse(item).revision;
}
