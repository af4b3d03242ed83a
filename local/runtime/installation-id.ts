import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/**
 * Reads the id of this installation, or makes one. The names of the installation's runners begin with it.
 *
 * @param path the file that keeps it
 * @returns 8 of 0-9 and a-f
 */
export async function keptInstallationId(path: string): Promise<string> {
  const made = randomBytes(4).toString('hex');
  try {
    await writeFile(path, made, { flag: 'wx' });
    return made;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return (await readFile(path, 'utf8')).trim();
  }
}
