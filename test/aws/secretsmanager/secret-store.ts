import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOCAL_ACCOUNT_ID } from '../../../local/gateway/local-caller.ts';
import { Secret } from './secret.ts';

/** All secrets. Each has its own file that only this user can read: `<directory>/<name>.json`. */
export class SecretStore {
  readonly #secrets = new Map<string, Secret>();
  readonly #directory: string | undefined;
  readonly #region: string;

  /** @throws Error that names the file if a file is not a secret. */
  constructor(directory: string | undefined, region: string) {
    this.#directory = directory;
    this.#region = region;
    if (directory === undefined) return;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const fileName of readdirSync(directory)) {
      if (fileName.endsWith('.json')) this.#load(join(directory, fileName));
    }
  }

  /** Finds a secret by its name, its ARN, or its ARN without the six random characters. */
  find(secretId: string): Secret | undefined {
    const byName = this.#secrets.get(secretId);
    return byName ?? [...this.#secrets.values()].find(({ arn }) => arn === secretId || arn.slice(0, -7) === secretId);
  }

  /** Makes a new secret without a version. The store keeps it when it is saved. */
  create(name: string): Secret {
    const suffix = randomBytes(3).toString('hex');
    const arn = `arn:aws:secretsmanager:${this.#region}:${LOCAL_ACCOUNT_ID}:secret:${name}-${suffix}`;
    return { name, arn, versions: [] };
  }

  /** Saves a secret. A reader of its file sees either the old or the new secret. */
  save(secret: Secret): void {
    this.#secrets.set(secret.name, secret);
    if (this.#directory === undefined) return;
    // A secret's name can contain slashes, but a file name cannot.
    const path = join(this.#directory, `${encodeURIComponent(secret.name)}.json`);
    writeFileSync(`${path}.next`, JSON.stringify(secret), { mode: 0o600 });
    renameSync(`${path}.next`, path);
  }

  #load(path: string): void {
    try {
      const secret = Secret.parse(JSON.parse(readFileSync(path, 'utf8')));
      this.#secrets.set(secret.name, secret);
    } catch (error) {
      throw new Error(`${path} is not a secret`, { cause: error });
    }
  }
}
