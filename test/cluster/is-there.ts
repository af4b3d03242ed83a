import { access } from 'node:fs/promises';

/** Whether there is a file, as far as we can see. */
export async function isThere(path: string, mode?: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
