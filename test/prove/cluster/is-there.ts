import { access } from 'node:fs/promises';

/** Whether a file exists and is accessible. */
export async function isThere(path: string, mode?: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
