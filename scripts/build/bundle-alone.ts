import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledConfigFile } from '../../cdk/bundling.ts';
import { environmentNames, type FunctionPermissions } from '../../cdk/function-permissions.ts';
import type { EnvironmentVariable } from '../../runtime/environment.ts';
import { invokedFunctions } from '../../runtime/function-settings.ts';

/** A bundle in a folder of its own. */
export interface BundleAlone extends AsyncDisposable {
  folder: string;
  /** The function's environment, and Lambda's. */
  env: Record<string, string>;
}

/**
 * Copies a bundle to where Lambda would have it: a folder with no node_modules in reach.
 *
 * @param folder the bundle's
 * @returns the copy, which is removed when it is disposed of
 */
export async function setApart(folder: string, needs: FunctionPermissions): Promise<BundleAlone> {
  const alone = await mkdtemp(join(tmpdir(), 'davit-bundle-'));
  await cp(folder, alone, { recursive: true });
  return {
    folder: alone,
    env: { AWS_REGION: 'eu-central-1', ...environmentIn(alone, needs) },
    [Symbol.asyncDispose]: () => rm(alone, { recursive: true }),
  };
}

function environmentIn(folder: string, needs: FunctionPermissions): Record<string, string> {
  const values: Record<EnvironmentVariable, string> = {
    DAVIT_CONFIG_FILE: join(folder, bundledConfigFile),
    DAVIT_LAUNCHES_TABLE: 'launches',
    DAVIT_TOKENS_TABLE: 'tokens',
    DAVIT_JOBS_TABLE: 'jobs',
    DAVIT_CLUSTERS_TABLE: 'clusters',
    DAVIT_STATE_MACHINE_ARN: 'arn:aws:states:eu-central-1:111122223333:stateMachine:launch',
    DAVIT_FUNCTIONS: JSON.stringify(Object.fromEntries(invokedFunctions.map((name) => [name, name]))),
    DAVIT_INSTALLATION_ID: '0a1b2c3d',
    DAVIT_CREDENTIAL_KEY_SECRET: 'credential-key',
    DAVIT_PUBLIC_URL: 'https://davit.example',
    DAVIT_EVENT_BUS: 'default',
    POWERTOOLS_SERVICE_NAME: 'davit',
  };
  return Object.fromEntries(environmentNames(needs).map((name) => [name, values[name]]));
}
