import { chmod, mkdir } from 'node:fs/promises';

/** Makes a directory that only this user can enter, or closes to others the one that is there. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}
