import { access } from 'node:fs/promises';
import { errorCode } from '../../../sandbox/node/error-code.ts';

/** Whether a file exists and is accessible. */
export async function isThere(path: string, mode?: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** What is read, or a default if the file, the cgroup or the process has gone in the meantime. */
export async function unlessGone<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ENODEV', 'ESRCH'].includes(errorCode(error) ?? '')) return otherwise;
    throw error;
  }
}
