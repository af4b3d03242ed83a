import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../../../core/config/config.ts';
import type { FunctionDefinition } from '../lambda/function-host.ts';
import { awsEnvironment, type LocalServices } from '../runtime/function-environment.ts';
import { type BundledFunction, type BundledStack, readStack } from './read-stack.ts';
import { resolveEnvironment } from './resolve-environment.ts';

/** Bundles in folders of their own. */
export interface IsolatedBundles extends AsyncDisposable {
  /**
   * Each function's definition. Its environment comes from its template, from Lambda, and from the addresses of the
   * services.
   *
   * @param aws as RuntimeOptions has it
   */
  functions(services: LocalServices, aws?: Readonly<Record<string, string>>): Record<string, FunctionDefinition>;
}

const configFile = 'davit.json';
const bootstrapFile = 'function-bootstrap.mts';
const bootstrapSource = fileURLToPath(new URL(`../lambda/${bootstrapFile}`, import.meta.url));

/**
 * Copies the bundles of a synthesised stack to folders of their own, with no node_modules above them. Puts this config
 * beside the bundles that read davit.yaml, in place of the synthesised one.
 *
 * @param stackFolder `cdk.out`
 * @throws Error naming what the stack lacks, or a node_modules that the bundles could reach
 */
export async function isolateBundles(stackFolder: string, config: Config): Promise<IsolatedBundles> {
  await using started = new AsyncDisposableStack();
  const stack = readStack(stackFolder);
  const root = await mkdtemp(join(tmpdir(), 'davit-bundles-'));
  started.defer(() => rm(root, { recursive: true, force: true }));
  refuseModulesInReach(root);
  const bootstrapPath = join(root, bootstrapFile);
  await copyFile(bootstrapSource, bootstrapPath);
  const bundles = Object.entries(stack.functions);
  for (const [name, bundle] of bundles) await isolate(bundle, join(root, name), config);

  const isolated = started.move();
  return {
    functions: (services, aws) => {
      const definitions = bundles.map(([name, bundle]) => {
        const { env, ...definition } = definitionOf(bundle, stack, services, join(root, name));
        return [
          name,
          { ...definition, env: { ...awsEnvironment(services, name), ...aws, ...env }, bootstrapPath },
        ] as const;
      });
      return Object.fromEntries(definitions);
    },
    [Symbol.asyncDispose]: () => isolated.disposeAsync(),
  };
}

async function isolate(bundle: BundledFunction, folder: string, config: Config): Promise<void> {
  await cp(bundle.folder, folder, { recursive: true });
  const path = join(folder, configFile);
  if (existsSync(path)) await writeFile(path, JSON.stringify(config));
}

function definitionOf(
  bundle: BundledFunction,
  stack: BundledStack,
  services: LocalServices,
  folder: string,
): FunctionDefinition {
  const [moduleName = ''] = bundle.handler.split('.');
  return {
    modulePath: join(folder, `${moduleName}.mjs`),
    env: resolveEnvironment(bundle, stack, services, folder),
    timeoutSeconds: bundle.timeoutSeconds,
    memoryMiB: bundle.memoryMiB,
  };
}

/** Node looks for packages in each folder above. */
function refuseModulesInReach(folder: string): void {
  if (existsSync(join(folder, 'node_modules'))) throw new Error(`${folder}/node_modules is in reach of the bundles`);
  if (dirname(folder) !== folder) refuseModulesInReach(dirname(folder));
}
