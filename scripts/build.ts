/**
 * Bundles every function into dist/functions/<name>/index.mjs as the CDK app does. Proves that each bundle needs nothing
 * else: copies it to a folder with no node_modules in reach, and imports it there in a process of its own with only the
 * environment that the function has on AWS.
 *
 *     npm run build -- [--config davit.yaml]
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { bundleFile, bundleFunctions, rootFolder } from '../cdk/bundling.ts';
import { functionNames, functionPermissions } from '../cdk/function-permissions.ts';
import { ConfigError } from '../core/config/config-problem.ts';
import { readConfig } from '../core/config/read-config.ts';
import { importAlone } from './build/import-alone.ts';

const usage = `npm run build -- [options]

Bundles every function into dist/functions, and imports each bundle where there is no package in reach. Exit code 1 if one
does not import.

  --config FILE   what is bundled with the functions (default davit.yaml)
  --help          this text
`;

/** Bundles and proves every function. @returns whether all of them import alone */
async function build(configPath: string): Promise<boolean> {
  const config = await readConfig(configPath);
  const target = join(rootFolder, 'dist', 'functions');
  rmSync(target, { recursive: true, force: true });
  let isGood = true;
  process.stdout.write(`${'function'.padEnd(16)}${'bundle'.padStart(10)}${'gzipped'.padStart(10)}  imports alone\n`);
  bundleFunctions(functionNames, config, target);
  for (const functionName of functionNames) {
    const folder = join(target, functionName);
    const failure = await importAlone(folder, functionPermissions[functionName]);
    process.stdout.write(`${functionName.padEnd(16)}${sizes(join(folder, bundleFile))}  ${failure ?? '✓'}\n`);
    isGood &&= failure === undefined;
  }
  return isGood;
}

function sizes(path: string): string {
  const bytes = readFileSync(path);
  return [bytes, gzipSync(bytes)].map(({ length }) => `${Math.ceil(length / 1024)} KiB`.padStart(10)).join('');
}

const { values } = parseArgs({
  options: { config: { type: 'string', default: 'davit.yaml' }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  process.stdout.write(usage);
} else {
  try {
    if (!(await build(values.config))) process.exitCode = 1;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
