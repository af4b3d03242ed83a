import { randomBytes } from 'node:crypto';
import { LOCAL_ACCOUNT_ID } from '../../../local/gateway/local-caller.ts';
import { LOCAL_REGION } from '../lambda/function-name.ts';
import type { Secret } from './secret.ts';

/** All secrets, in memory. */
export class SecretStore {
  readonly #secrets = new Map<string, Secret>();

  /** Finds a secret by its name, its ARN, or its ARN without the six random characters. */
  find(secretId: string): Secret | undefined {
    const byName = this.#secrets.get(secretId);
    return byName ?? [...this.#secrets.values()].find(({ arn }) => arn === secretId || arn.slice(0, -7) === secretId);
  }

  /** Makes a new secret without a version. The store keeps it when it is saved. */
  create(name: string): Secret {
    const suffix = randomBytes(3).toString('hex');
    const arn = `arn:aws:secretsmanager:${LOCAL_REGION}:${LOCAL_ACCOUNT_ID}:secret:${name}-${suffix}`;
    return { name, arn, versions: [] };
  }

  save(secret: Secret): void {
    this.#secrets.set(secret.name, secret);
  }
}
