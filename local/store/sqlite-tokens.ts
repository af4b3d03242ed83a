import { PublishedToken } from '../../core/launch/completed-token.ts';
import { recordRetentionSeconds } from '../../core/retention.ts';
import type { TokenPublisher, TokenReader } from '../../ports/tokens.ts';
import type { Store } from './open-store.ts';
import { jsonOf } from './rows.ts';

/** Keeps tokens in the store. Each is published once. */
export function sqliteTokens(store: Store): TokenReader & TokenPublisher {
  return {
    get: async (agentName) => store.read(() => tokenOf(store, agentName)),
    publish: (toPublish) =>
      store.commit(() => {
        const { agentName, expiresAt } = toPublish.token;
        const published = tokenOf(store, agentName);
        if (published !== undefined) return published;
        // A token stays as long as its launch's record can, although it expires earlier: a late agent gets 410, not 503.
        const expiresAtEpochSeconds = Math.ceil(Date.parse(expiresAt) / 1000) + recordRetentionSeconds;
        const item = JSON.stringify(PublishedToken.parse(toPublish));
        store.sql.run`INSERT INTO token VALUES (${agentName}, ${expiresAtEpochSeconds}, ${item})`;
        store.publish(undefined, item);
        return toPublish;
      }),
  };
}

function tokenOf({ sql }: Store, agentName: string): PublishedToken | undefined {
  const row = sql.get`SELECT item FROM token WHERE agent_name = ${agentName}`;
  return row && PublishedToken.parse(jsonOf(row, 'item'));
}
