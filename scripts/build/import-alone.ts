import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledConfigFile, bundleFile } from '../../cdk/bundling.ts';
import type { FunctionNeeds } from '../../cdk/function-needs.ts';
import { environmentNames } from '../../cdk/function-needs.ts';
import type { EnvironmentVariable } from '../../functions/config.ts';
import { runProcess } from '../run-process.ts';

/**
 * Imports a bundle as Lambda does: in a process of its own, from a folder with no node_modules in reach, with no
 * environment but that of the function and of Lambda.
 *
 * @param folder the bundle's
 * @returns what went wrong; undefined when there is a handler
 */
export async function importAlone(folder: string, needs: FunctionNeeds): Promise<string | undefined> {
  const alone = await mkdtemp(join(tmpdir(), 'davit-bundle-'));
  try {
    await cp(folder, alone, { recursive: true });
    const url = pathToFileURL(join(alone, bundleFile)).href;
    const script = `const { handler } = await import(${JSON.stringify(url)});
      if (typeof handler !== 'function') throw new Error('the bundle exports no handler');`;
    const { exitCode, output } = await runProcess(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: alone,
      env: { AWS_REGION: 'eu-central-1', ...environmentIn(alone, needs) },
    });
    return exitCode === 0 ? undefined : `✗\n${shortLines(output)}`;
  } finally {
    await rm(alone, { recursive: true });
  }
}

/** Node quotes the line that failed, and a minified bundle is one long line. */
function shortLines(text: string): string {
  return text.replaceAll(/^(.{200}).+$/gm, '$1…');
}

function environmentIn(folder: string, needs: FunctionNeeds): Record<string, string> {
  const values: Record<EnvironmentVariable, string> = {
    DAVIT_CONFIG_FILE: join(folder, bundledConfigFile),
    DAVIT_LAUNCHES_TABLE: 'launches',
    DAVIT_TOKENS_TABLE: 'tokens',
    DAVIT_STATE_MACHINE_ARN: 'arn:aws:states:eu-central-1:111122223333:stateMachine:launch',
    DAVIT_CLEAN_UP_FUNCTION: 'clean-up',
    DAVIT_CREDENTIAL_KEY_SECRET: 'credential-key',
    DAVIT_PUBLIC_URL: 'https://davit.example',
    DAVIT_EVENT_BUS: 'default',
    POWERTOOLS_SERVICE_NAME: 'davit',
  };
  return Object.fromEntries(environmentNames(needs).map((name) => [name, values[name]]));
}
