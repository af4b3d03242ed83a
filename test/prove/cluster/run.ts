import { fileURLToPath } from 'node:url';
import { runProcess } from '../../../scripts/run-process.ts';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a program to its end. @returns its output @throws Error with its output, when its exit code is not 0 */
export async function run(program: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  const options = { cwd: root, ...(env === undefined ? {} : { env: { ...process.env, ...env } }) };
  const { exitCode, output } = await runProcess(program, args, options);
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${exitCode}\n${output}`);
  return output;
}
