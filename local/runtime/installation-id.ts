import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/** The file of the state directory that keeps the id. */
export const installationIdFile = 'installation-id';

/**
 * Reads the id of this installation, or makes one. The names of the installation's runners begin with it, so no two
 * installations may share it.
 *
 * @param path the file that keeps it
 * @returns 8 of 0-9 and a-f
 * @throws Error that names the file, for a file with anything else in it
 */
export async function keptInstallationId(path: string): Promise<string> {
  const made = randomBytes(4).toString('hex');
  const aside = `${path}.${made}`;
  try {
    // A full disk may leave an empty file: only a whole one gets the name.
    await writeFile(aside, made, { flush: true });
    await link(aside, path);
    return made;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return await readInstallationId(path);
  } finally {
    await rm(aside, { force: true });
  }
}

async function readInstallationId(path: string): Promise<string> {
  const id = (await readFile(path, 'utf8')).trim();
  if (!/^[0-9a-f]{8}$/.test(id)) {
    throw new Error(
      `${path}: expected the installation's id, 8 of 0-9 and a-f, not ${JSON.stringify(id.slice(0, 40))}`,
    );
  }
  return id;
}
