import { access } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const folder = new URL('../../.venv/bin/', import.meta.url);

/** The interpreter of the packages in `requirements.txt`. */
export const python = fileURLToPath(new URL('python', folder));

/** Says what to do when the packages are not installed, and undefined when they are. */
export async function missingPython(): Promise<string | undefined> {
  try {
    await access(new URL('moto_server', folder));
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    return `moto is not installed in .venv (${String(code)}): npm run python (Debian: apt-get install python3 python3-venv)`;
  }
}
