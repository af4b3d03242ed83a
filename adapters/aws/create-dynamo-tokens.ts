import { TransientError } from '../../core/errors/errors.ts';
import { type CompletedToken, PublishedToken } from '../../core/launch/completed-token.ts';
import { recordRetentionSeconds } from '../../core/retention.ts';
import * as z from '../../core/zod.ts';
import type { TokenPublisher, TokenReader } from '../../ports/tokens.ts';
import { type DynamoTable, getItem, putNewItem } from './dynamo-table.ts';

/** The item of a token: the unchanged token, and the fields that DynamoDB needs beside it. */
const TokenItem = z.extend(PublishedToken, {
  agentName: z.string(),
  expiresAtEpochSeconds: z.int().check(z.positive()),
});

/**
 * Reads tokens: needs dynamodb:GetItem and nothing else. Returns a whole token, or throws.
 *
 * @see table-definitions.ts for the table
 */
export function createDynamoTokenReader(table: DynamoTable): TokenReader {
  return { get: (agentName) => getToken(table, agentName) };
}

/** Publishes tokens: needs dynamodb:PutItem, and GetItem to read an earlier token. */
export function createDynamoTokenPublisher(table: DynamoTable): TokenPublisher {
  return { publish: (published) => publish(table, published) };
}

async function getToken(table: DynamoTable, agentName: string): Promise<PublishedToken | undefined> {
  const item = await getItem(table, { agentName });
  return item === undefined ? undefined : PublishedToken.parse(item);
}

async function publish(table: DynamoTable, toPublish: PublishedToken): Promise<PublishedToken> {
  // The step runs twice while an agent keeps asking. The agent sees either no token or A's whole token, and never B's:
  //   A       put ──► written, answer lost
  //   B                           put ──► refused ──► reads A's token, and returns that
  //   agent   503   503 │ 200 A   200 A   200 A
  const { token } = toPublish;
  const item = { ...toPublish, agentName: token.agentName, expiresAtEpochSeconds: removeAtEpochSeconds(token) };
  if (await putNewItem(table, 'agentName', TokenItem.parse(item))) return toPublish;
  const published = await getToken(table, token.agentName);
  if (published !== undefined) return published;
  throw new TransientError('WriteConflict', 'the agent had a token, which was removed while it was being read', {
    launchId: token.launchId,
  });
}

/** A token stays as long as its launch's record can, although it expires earlier: a late agent gets 410, not 503. */
function removeAtEpochSeconds(token: CompletedToken): number {
  return Math.ceil(Date.parse(token.expiresAt) / 1000) + recordRetentionSeconds;
}
