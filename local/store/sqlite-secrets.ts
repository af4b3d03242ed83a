import { randomUUID } from 'node:crypto';
import { TerminalError } from '../../core/errors/errors.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { createSigningSecrets, type SecretVersion } from '../../runtime/signing/create-signing-secrets.ts';
import type { Store } from './open-store.ts';
import { numberOf, type Row, textOf } from './rows.ts';

/** The secrets of one process, with the version before the present one of each. */
export interface LocalSecrets extends Secrets {
  /** The present text; undefined for an unknown secret. */
  get: (name: string) => string | undefined;
  /** Puts a version, unless it is the present one. The one before stays accepted for a day. */
  put: (name: string, text: string) => void;
}

/** Keeps secrets in the store, which only davit's user can read. */
export function sqliteSecrets(store: Store, nowEpochMs: () => number = Date.now): LocalSecrets {
  const { sql } = store;

  /** The newest versions, the present one first. */
  const versionsOf = (name: string): SecretVersion[] =>
    store.read(() =>
      sql.all`
        SELECT version, created_at, text FROM secret_version WHERE name = ${name} ORDER BY created_at DESC LIMIT 2`.map(
        versionOf,
      ),
    );

  const current = async (name: string): Promise<SecretVersion> => {
    const [version] = versionsOf(name);
    if (version !== undefined) return version;
    throw new TerminalError('SecretMissing', `secret ${name}: it has no value; give it with --secret ${name}=FILE`);
  };

  const read = async (name: string) => (await current(name)).text;
  return {
    get: (name) => versionsOf(name)[0]?.text,
    put: (name, text) =>
      store.write(() => {
        const [present, before] = versionsOf(name);
        if (present?.text === text) return;
        // Later than the present version, even if the clock is not.
        const createdAtEpochMs = Math.max(nowEpochMs(), (present?.createdAtEpochMs ?? 0) + 1);
        sql.run`INSERT INTO secret_version VALUES (${name}, ${randomUUID()}, ${createdAtEpochMs}, ${text})`;
        if (before !== undefined) sql.run`DELETE FROM secret_version WHERE name = ${name} AND version = ${before.id}`;
      }),
    read,
    refresh: read,
    // Each read is one of the store: there is nothing to keep.
    signing: createSigningSecrets({ current, previous: async (name) => versionsOf(name)[1], maxAgeMs: 0, nowEpochMs }),
  };
}

function versionOf(row: Row): SecretVersion {
  return { id: textOf(row, 'version'), text: textOf(row, 'text'), createdAtEpochMs: numberOf(row, 'created_at') };
}
