import { dirname } from 'node:path';
import { runProcess } from '../../../scripts/run-process.ts';

/**
 * Tries to load packages from a bundle's folder, by `import` and by `require`, in a process with the function's
 * environment.
 *
 * @param packages the names of packages that the functions' sources import
 * @returns the packages that could be loaded, and other failures
 */
export async function packagesInReach(
  { modulePath, env }: { modulePath: string; env: Readonly<Record<string, string>> },
  packages: readonly string[],
): Promise<string> {
  const script = `
    import { createRequire } from 'node:module';
    const loads = [(name) => import(name), createRequire(${JSON.stringify(modulePath)})];
    for (const name of ${JSON.stringify(packages)}) for (const load of loads) {
      try {
        await load(name);
        console.log(name);
      } catch (error) {
        if (!/^(ERR_)?MODULE_NOT_FOUND$/.test(error.code)) throw error;
      }
    }`;
  const options = { cwd: dirname(modulePath), env: { ...env } };
  const { exitCode, output } = await runProcess(process.execPath, ['--input-type=module', '--eval', script], options);
  return exitCode === 0 ? output : `exit code ${exitCode}: ${output}`;
}
