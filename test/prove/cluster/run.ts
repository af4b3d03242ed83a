import { fileURLToPath } from 'node:url';
import { outputOf } from '../../../scripts/run-process.ts';

/** The repository's root. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a program to its end. @returns its output @throws Error with its output, when its exit code is not 0 */
export async function run(program: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd: root, ...(env === undefined ? {} : { env: { ...process.env, ...env } }) };
  return await outputOf(program, args, options);
}
