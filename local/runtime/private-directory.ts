import { chmod, mkdir } from 'node:fs/promises';

/** Makes a directory that only this user can enter, or makes an existing one private. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}
