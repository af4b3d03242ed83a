import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MadeApp } from './convert-code.ts';

/** The folder's place cannot be used. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/** Where the App's secrets are written. */
export interface SecretFolder {
  privateKeyFile: string;
  webhookSecretFile: string;
  /**
   * Writes both secrets, readable by this user only.
   *
   * @throws FolderError when they cannot be written: then they are lost
   */
  save(app: MadeApp): Promise<void>;
  /** Removes the folder if nothing was written. */
  release(): Promise<void>;
}

/**
 * Makes the folder before GitHub makes the App: GitHub shows the secrets once, so the folder must exist by then.
 *
 * @throws FolderError when it exists, or cannot be made
 */
export async function makeSecretFolder(path: string): Promise<SecretFolder> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    const reason = isThere
      ? `expected a folder that does not exist yet, found ${path}`
      : `cannot make it: ${String(error)}`;
    throw new FolderError(`--out: ${reason}`, { cause: error });
  }
  const privateKeyFile = join(path, 'private-key.pem');
  const webhookSecretFile = join(path, 'webhook-secret');
  let isEmpty = true;

  return {
    privateKeyFile,
    webhookSecretFile,
    save: async (app) => {
      isEmpty = false;
      try {
        // The folder is likely to be in a checkout.
        await write(join(path, '.gitignore'), '*\n');
        await write(privateKeyFile, app.pem);
        // Without a line break, because Secrets Manager stores the file unchanged.
        await write(webhookSecretFile, app.webhook_secret);
      } catch (error) {
        const lost = `${app.html_url} is made, but its secrets were not saved: ${String(error)}. Delete it, or give it new ones.`;
        throw new FolderError(lost, { cause: error });
      }
    },
    release: async () => {
      if (isEmpty) await rmdir(path);
    },
  };
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600, flag: 'wx' });
}
