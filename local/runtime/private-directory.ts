import { chmod, mkdir, stat } from 'node:fs/promises';

/** The bit of a directory in which each user may have files, such as /tmp. */
const sticky = 0o1000;

/**
 * Makes a directory that only this user can enter, or makes an existing one private.
 *
 * @throws Error for a directory that all users share: it must stay as it is
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (((await stat(path)).mode & sticky) !== 0) throw new Error(`${path}: all users share it; name a directory in it`);
  await chmod(path, 0o700);
}
